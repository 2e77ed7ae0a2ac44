package why

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// whyChainFlags are those of questions about the chain from a cluster's key to
// the fields of objects.
type whyChainFlags struct {
	checkout.Flags

	offline  bool
	value    string
	values   bool
	revision string
	output   string
}

func (w *whyChainFlags) register(cmd *cobra.Command) {
	w.Register(cmd)
	cmd.Flags().StringVar(&w.value, "value", "", "of an application: show where this comes from, a Helm value or OBJECT:FIELD, as in Deployment/web:spec.replicas")
	cmd.Flags().BoolVar(&w.values, "values", false, "of an application: print all its Helm values, each with the layers that say something of it, the last of which counts")
	cmd.Flags().StringVar(&w.revision, "revision", "", "with --repo: revision to look at (default: the work tree)")
	cmd.Flags().StringVarP(&w.output, "output", "o", w.output, "of a key, a Secret, --value or --values, how to print: table, wide, json, yaml")
}

// allValues answers APP --values.
func (w *whyChainFlags) allValues(ctx context.Context, app string) error {
	return (&valuesFlags{Flags: w.Flags, offline: w.offline, output: w.output, revision: w.revision}).run(ctx, []string{app, ""})
}

// isKey tells CLUSTER/KEY from APP/KIND/NAME: it has two parts, or a key with
// the domain of its owner before it, as no kind has.
func isKey(text string) bool {
	if strings.Contains(text, "://") { // a cluster without a name has that of its server
		return true
	}
	parts := strings.Split(text, "/")
	return len(parts) == 2 || len(parts) == 3 && strings.Contains(parts[1], ".")
}

func (w *whyChainFlags) run(ctx context.Context, text string) error {
	if err := table.CheckOutput(w.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	if err := w.understand(text); err != nil {
		return err
	}
	if !w.offline && w.Server.Address != "" {
		return w.ofServer(ctx, text)
	}
	b, err := openBridge(ctx, &w.Flags, w.offline, w.revision)
	if err != nil {
		return err
	}
	defer b.close()
	if w.value != "" {
		return w.ofValue(ctx, b, text)
	}
	return w.ofKey(ctx, b, text)
}

// understand refuses what cannot be meant, before a hub or a repository is asked.
func (w *whyChainFlags) understand(text string) error {
	target, path, isField := strings.Cut(w.value, ":")
	switch {
	case w.value != "" && strings.Contains(text, "/"):
		return command.Usagef("--value asks about an application, and %q is none: write causeway why APP --value %s, or leave --value out", text, w.value)
	case isField && strings.Contains(target, "/") && strings.TrimPrefix(path, ".") == "":
		return command.Usagef("--value %s names no field: write one after the colon, as in Deployment/web:spec.replicas", w.value)
	case w.value == "" && strings.HasSuffix(text, "/"):
		return command.Usagef("%q names no key: write one after the slash, as in prod/region; causeway bridge %s lists them", text, strings.TrimRight(text, "/"))
	}
	return nil
}

// ofKey answers CLUSTER/KEY.
func (w *whyChainFlags) ofKey(ctx context.Context, b *bridged, text string) error {
	cluster, name, err := splitKey(b.Clusters, text)
	if err != nil {
		return err
	}
	if _, err := pick(&w.Flags, b.Clusters, cluster); err != nil {
		return err
	}
	keys, err := b.Find(cluster, name)
	if err != nil {
		return err
	}
	traces := make([]*bridge.KeyTrace, 0, len(keys))
	for _, k := range keys {
		trace, err := bridge.TraceKey(ctx, b.Fleet, cluster, k)
		if err != nil {
			return err
		}
		maskFields(trace)
		traces = append(traces, trace)
	}
	return w.printKeys(traces)
}

func (w *whyChainFlags) printKeys(traces []*bridge.KeyTrace) error {
	if !table.Tabular(w.output) {
		return table.PrintValue(w.Out, w.output, traces)
	}
	for _, t := range traces {
		if err := table.WriteLines(w.Out, w.keyLines(t)); err != nil {
			return err
		}
	}
	return nil
}

// maskFields hides values whose names tell that they are secret.
func maskFields(t *bridge.KeyTrace) {
	for i := range t.Readers {
		for j := range t.Readers[i].Follow {
			app := &t.Readers[i].Follow[j]
			mask(redact.Masker{}, app.Parameters)
			for k := range app.Objects {
				mask(redact.Masker{}, app.Objects[k].Fields)
			}
		}
	}
}

// maskKeys hides them where keys lead to a field or to a value.
func maskKeys(m redact.Masker, t *bridge.FieldTrace) {
	for i := range t.Keys {
		mask(m, t.Keys[i].Parameters)
	}
}

func mask(m redact.Masker, fields []bridge.FieldChange) {
	for i := range fields {
		path := strings.FieldsFunc(fields[i].Path, func(r rune) bool { return strings.ContainsRune(".[]→ ", r) })
		before, after := m.Value(path, fields[i].Before), m.Value(path, fields[i].After)
		if after != nil && !reflect.DeepEqual(before, gitops.Plain(fields[i].Before)) {
			after = before // what nobody knows of it is around what another value puts there, too
		}
		fields[i].Before, fields[i].After = before, after
	}
}

// splitKey finds the cluster whose name, Secret or server a text begins with:
// all may hold slashes.
func splitKey(clusters []bridge.Cluster, text string) (cluster, key string, err error) {
	longest := 0
	for i := range clusters {
		c := &clusters[i]
		for name, meant := range map[string]string{c.Name: c.Name, c.Secret: c.Secret, c.Server: c.Name, gitops.ServerKey(c.Server): c.Name} {
			if rest, found := strings.CutPrefix(text, name+"/"); found && name != "" && len(name) > longest {
				cluster, key, longest = meant, rest, len(name)
			}
		}
	}
	if longest == 0 {
		return "", "", command.Usagef("cannot understand %q: no cluster has that name, Secret or server%s; write CLUSTER/KEY, as in prod/region, or APP/KIND/NAME, as in shop/Deployment/web",
			text, gitops.DidYouMean(strings.SplitN(text, "/", 2)[0], namesOf(clusters)))
	}
	return cluster, key, nil
}

func namesOf(clusters []bridge.Cluster) []string {
	var out []string
	for i := range clusters {
		out = append(out, clusters[i].Name)
	}
	return out
}

func (w *whyChainFlags) keyLines(t *bridge.KeyTrace) []string {
	title := screen.Line(fmt.Sprintf("%s of cluster %s", t.Key, t.Cluster))
	lines := []string{w.Style(w.Out).Title(title) + fmt.Sprintf(" is %q (%s)", t.Value, t.Type)}
	if by := setBy(t.SetBy); by != "-" {
		lines = append(lines, "  set by "+screen.Line(by))
	}
	if len(t.Readers) == 0 {
		return append(lines, "  nobody reads it")
	}
	for i := range t.Readers {
		lines = append(lines, flat(readerLines(&t.Readers[i], w.nothing()))...)
	}
	return append(lines, fmt.Sprintf("  (what follows was found by giving the key the value %q in memory)", t.Instead))
}

// flat keeps each line one: whoever wrote the sources named the files and fields in it.
func flat(lines []string) []string {
	for i := range lines {
		lines[i] = screen.Line(lines[i])
	}
	return lines
}

// nothing says that nothing follows: a server tells of what one may read.
func (w *whyChainFlags) nothing() string {
	if w.Server.Address != "" {
		return "nothing that you may read follows from it on this cluster"
	}
	return "nothing follows from it on this cluster"
}

func readerLines(r *bridge.SetTrace, nothing string) []string {
	text := "  read by ApplicationSet " + r.Set
	if r.Set == "" {
		text = "  read by an ApplicationSet that you may not read"
	}
	if r.Where != "" {
		text += " (" + r.Where + ")"
	}
	if r.Selects {
		text += ", in a selector"
	}
	lines := []string{text}
	if r.Problem != "" {
		lines = append(lines, "    with another value the set gives nothing: "+screen.Words(r.Problem))
	}
	if len(r.Follow) == 0 && r.Problem == "" {
		lines = append(lines, "    "+nothing)
	}
	for i := range r.Follow {
		lines = append(lines, appLines(&r.Follow[i])...)
	}
	return lines
}

func appLines(a *bridge.AppTrace) []string {
	switch a.Effect {
	case "removed":
		return []string{"    application " + a.Application + ": is there because of it"}
	case "added":
		return []string{"    application " + a.Application + ": would be there with the other value"}
	}
	lines := []string{"    application " + a.Application}
	for _, p := range a.Parameters {
		lines = append(lines, fmt.Sprintf("      %s = %s", p.Path, table.CompactJSON(p.Before)))
	}
	if a.Note != "" {
		lines = append(lines, "        "+screen.Words(a.Note))
	}
	for _, o := range a.Objects {
		lines = append(lines, objectLines(o)...)
	}
	return lines
}

func objectLines(o bridge.ObjectTrace) []string {
	text := "        " + o.Object
	if o.Where != "" {
		text += " (" + o.Where + ")"
	}
	switch o.Effect {
	case "removed":
		text += ": is there because of it"
	case "added":
		text += ": would be there with the other value"
	}
	lines := []string{text}
	for _, f := range o.Fields {
		lines = append(lines, fmt.Sprintf("          %s = %s", f.Path, table.CompactJSON(f.Before)))
	}
	return lines
}

// ofValue answers APP --value PATH.
func (w *whyChainFlags) ofValue(ctx context.Context, b *bridged, name string) error {
	application, found, err := w.applicationOf(ctx, b, name)
	if err != nil {
		return err
	}
	target, path, isField := strings.Cut(w.value, ":")
	if isField && strings.Contains(target, "/") {
		trace, err := bridge.TraceField(ctx, b.Fleet, application, target, strings.TrimPrefix(path, "."))
		if err != nil {
			return err
		}
		trace.Value = found.masker.Value(strings.Split(trace.Path, "."), trace.Value)
		maskKeys(found.masker, trace)
		return w.printField(trace)
	}
	return w.ofHelmValue(ctx, b, application, found)
}

func (w *whyChainFlags) printField(trace *bridge.FieldTrace) error {
	if !table.Tabular(w.output) {
		return table.PrintValue(w.Out, w.output, trace)
	}
	return table.WriteLines(w.Out, w.fieldLines(trace))
}

// applicationOf finds an application, and its Helm values.
func (w *whyChainFlags) applicationOf(ctx context.Context, b *bridged, name string) (*v1alpha1.Application, valuesOf, error) {
	if b.state == nil {
		application, err := b.hub.Application(ctx, name)
		if err != nil {
			return nil, valuesOf{}, err
		}
		found, err := inspected(ctx, b.inspector, application)
		return application, found, err
	}
	a, err := appOf(b.state.Applications(), name)
	if err != nil {
		return nil, valuesOf{}, err
	}
	found, err := explainApp(ctx, b.state, a)
	return a.Application, found, err
}

// helmTrace is where a Helm value comes from.
type helmTrace struct {
	Values []explained        `json:"values"`
	Chain  *bridge.FieldTrace `json:"chain"`
}

func (w *whyChainFlags) ofHelmValue(ctx context.Context, b *bridged, application *v1alpha1.Application, found valuesOf) error {
	all := explain(found, w.value)
	if len(all) == 0 {
		return nothing(found.values, application.Name, w.value)
	}
	trace, err := bridge.TraceValue(ctx, b.Fleet, application, func(ctx context.Context, app *v1alpha1.Application) (any, error) {
		values, err := b.valuesAs(ctx, app)
		return compared(values, w.value), err
	})
	if err != nil {
		return err
	}
	maskKeys(found.masker, trace)
	return w.printHelm(all, trace)
}

func (w *whyChainFlags) printHelm(all []explained, trace *bridge.FieldTrace) error {
	if !table.Tabular(w.output) {
		return table.PrintValue(w.Out, w.output, helmTrace{all, trace})
	}
	if err := (&valuesFlags{Flags: w.Flags, output: w.output}).print(all); err != nil {
		return err
	}
	return table.WriteLines(w.Out, flat(originLines(trace)))
}

// valuesAs are the Helm values of a version of an application.
func (b *bridged) valuesAs(ctx context.Context, app *v1alpha1.Application) ([]render.SourceValues, error) {
	if b.state == nil {
		return b.inspector.Values(ctx, app)
	}
	return b.state.ValuesAs(ctx, app)
}

func (w *whyChainFlags) fieldLines(t *bridge.FieldTrace) []string {
	text := w.Style(w.Out).Title(screen.Line(t.Object+": "+t.Path)) + " is " + table.CompactJSON(t.Value)
	if t.Where != "" {
		text += " (" + screen.Line(t.Where) + ")"
	}
	return append([]string{text}, flat(originLines(t))...)
}

// originLines name the keys that something follows.
func originLines(t *bridge.FieldTrace) []string {
	if t.Set == "" && len(t.Notes) > 0 {
		return noteLines(t.Notes)
	}
	if t.Set == "" {
		return []string{"  application " + t.Application + " is made by no ApplicationSet from a cluster: no key of a cluster leads here"}
	}
	lines := []string{fmt.Sprintf("  application %s is made by ApplicationSet %s for cluster %s", t.Application, t.Set, t.Cluster)}
	for _, k := range t.Keys {
		text := fmt.Sprintf("  follows %s = %q", k.Key, k.Value)
		if by := setBy(k.SetBy); by != "-" {
			text += ", set by " + by
		}
		lines = append(lines, text)
		for _, p := range k.Parameters {
			lines = append(lines, throughLine(p))
		}
	}
	if len(t.Keys) == 0 {
		lines = append(lines, fmt.Sprintf("  follows no key of the cluster (%d tried)", t.Tried))
	}
	return append(lines, noteLines(t.Notes)...)
}

// throughLine names a field of an application. A server does not tell its value.
func throughLine(p bridge.FieldChange) string {
	text := "    through " + p.Path
	if p.Before == nil && p.After == nil {
		return text
	}
	return text + " = " + table.CompactJSON(p.Before)
}

func noteLines(notes []string) []string {
	var lines []string
	for _, n := range notes {
		lines = append(lines, "  note: "+screen.Words(n))
	}
	return lines
}
