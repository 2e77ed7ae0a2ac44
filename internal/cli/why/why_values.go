package why

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
)

// valuesFlags ask for the Helm values of an application, with the layers of each.
type valuesFlags struct {
	checkout.Flags

	offline  bool
	output   string
	revision string
}

// explained is one value as it is printed.
type explained struct {
	Source int             `json:"source"`
	Path   string          `json:"path"`
	Value  any             `json:"value"`
	Layers []explainedFrom `json:"layers"`
}

type explainedFrom struct {
	Kind  string `json:"kind"`
	Name  string `json:"name,omitempty"`
	Where string `json:"where,omitempty"`
	Value any    `json:"value"`
}

// newWhyValue is the former command of what `why APP --values` prints.
func newWhyValue(g *command.Global) *cobra.Command {
	w := &valuesFlags{Flags: checkout.Flags{Global: g}, output: table.AsTable}
	cmd := &cobra.Command{
		Use: "value APP [PATH]", Hidden: true,
		Short: "The former name of causeway why APP --values, and of causeway why APP --value PATH without the chain from a cluster",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return command.Usagef("name an application, and a path if not all values are asked for")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			now := "causeway why APP --values"
			if len(args) > 1 {
				now = "causeway why APP --value PATH"
			}
			g.Moved("causeway why value", now)
			if err := w.Unused(cmd); err != nil {
				return err
			}
			w.offline = w.Asked(cmd)
			return w.run(cmd.Context(), append(args, "")[:2])
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	w.Register(cmd)
	cmd.Flags().StringVar(&w.revision, "revision", "", "with --repo: revision to look at (default: the work tree)")
	cmd.Flags().StringVarP(&w.output, "output", "o", w.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (w *valuesFlags) run(ctx context.Context, args []string) error {
	if err := table.CheckOutput(w.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	find := w.fromHub
	if w.offline {
		find = w.fromRepo
	}
	found, err := find(ctx, args[0])
	if err != nil {
		return err
	}
	all := explain(found, args[1])
	if len(all) == 0 {
		return nothing(found.values, args[0], args[1])
	}
	return w.print(all)
}

// valuesOf are the values of an application, and what hides the secrets among them.
type valuesOf struct {
	values []render.SourceValues
	masker redact.Masker
}

// masked also knows the values of the Secrets that were rendered; where that
// fails, names of values alone tell what is one.
func masked(values []render.SourceValues, rendering *gitops.Rendering, err error) valuesOf {
	if err != nil {
		return valuesOf{values, redact.Masker{}}
	}
	return valuesOf{values, redact.NewMasker(redact.NewKnown(rendering.Hidden, rendering.Manifests))}
}

func (w *valuesFlags) fromHub(ctx context.Context, name string) (valuesOf, error) {
	mirrors, err := command.SteadyMirrors(w.Mirrors)
	if err != nil {
		return valuesOf{}, err
	}
	h, err := target.ReachWithout(w.Global, w.Mirrors)
	if err != nil {
		return valuesOf{}, err
	}
	application, err := h.Application(ctx, name)
	if err != nil {
		return valuesOf{}, err
	}
	if h.Server != nil {
		return servedValues(ctx, &w.Flags, h, application)
	}
	inspector, err := target.Inspect(ctx, w.Global, h, mirrors)
	if err != nil {
		return valuesOf{}, err
	}
	defer inspector.Close()
	return inspected(ctx, inspector, application)
}

// inspected are the values of an application of a hub.
func inspected(ctx context.Context, inspector *inspect.Inspector, application *v1alpha1.Application) (valuesOf, error) {
	values, err := inspector.Values(ctx, application)
	if err != nil {
		return valuesOf{}, err
	}
	rendering, err := inspector.Render(ctx, application)
	return masked(values, rendering, err), nil
}

func (w *valuesFlags) fromRepo(ctx context.Context, name string) (valuesOf, error) {
	c, err := w.Open(ctx)
	if err != nil {
		return valuesOf{}, err
	}
	defer c.Close()
	side, err := w.At(ctx, c, w.revision)
	if err != nil {
		return valuesOf{}, err
	}
	state, err := preview.Expand(ctx, side, preview.Options{Namespace: w.Namespace, Roots: w.Roots})
	if err != nil {
		return valuesOf{}, err
	}
	a, err := appOf(state.Applications(), name)
	if err != nil {
		return valuesOf{}, err
	}
	return explainApp(ctx, state, a)
}

// appOf finds an application of a repository by its name, with its namespace before it
// or without. Of several that have the name none is guessed.
func appOf(all []*preview.App, name string) (*preview.App, error) {
	var found *preview.App
	var same, known []string
	for _, a := range all {
		whole := gitops.NameIn(a.ID.Namespace, a.Name)
		if a.Name == name || whole == name {
			found, same = a, append(same, whole+placeOf(a))
		}
		known = append(known, a.Name)
	}
	switch len(same) {
	case 0:
		return nil, fmt.Errorf("the repository gives no Application %q%s", name, gitops.DidYouMean(name, known))
	case 1:
		return found, nil
	}
	const most = 5
	return nil, fmt.Errorf("the repository gives %d Applications %q: %s; name one with its namespace, or choose what is looked at with --root FILE or --repo FOLDER", len(same), name, gitops.Listed(same, most))
}

// placeOf tells applications of one name and namespace apart.
func placeOf(a *preview.App) string {
	if a.ID.Of == "" {
		return ""
	}
	return " (" + a.ID.Of + ")"
}

func explainApp(ctx context.Context, state *preview.State, a *preview.App) (valuesOf, error) {
	values, err := state.Values(ctx, a)
	if err != nil {
		return valuesOf{}, err
	}
	rendering, err := state.Render(ctx, a)
	return masked(values, rendering, err), nil
}

func explain(found valuesOf, path string) []explained {
	var out []explained
	for _, s := range found.values {
		for _, v := range s.Values {
			if at := strings.Join(v.Path, "."); concernsPath(at, path) {
				out = append(out, explainedValue(s.Source, at, v, found.masker))
			}
		}
	}
	return out
}

// concernsPath reports whether a value is at a path, below it, or what the path leads into.
func concernsPath(at, path string) bool {
	return path == "" || at == path || strings.HasPrefix(at, path+".") || strings.HasPrefix(path, at+".")
}

// compared is what two versions of values are held against each other by: as they are,
// for all that is masked is the same. Nobody is shown it.
func compared(found []render.SourceValues, path string) []any {
	var out []any
	for _, s := range found {
		for _, v := range s.Values {
			if at := strings.Join(v.Path, "."); concernsPath(at, path) && len(v.Layers) > 0 {
				out = append(out, at, v.Layers[len(v.Layers)-1].Value)
			}
		}
	}
	return out
}

func explainedValue(source int, path string, v gitops.Value, m redact.Masker) explained {
	e := explained{Source: source, Path: path}
	for _, l := range v.Layers {
		value := m.Value(v.Path, l.Value)
		e.Value = value
		e.Layers = append(e.Layers, explainedFrom{Kind: string(l.Kind), Name: l.Name, Where: l.Origin.String(), Value: value})
	}
	return e
}

// nothing explains why there is no answer.
func nothing(found []render.SourceValues, app, path string) error {
	if len(found) == 0 {
		return fmt.Errorf("application %s has no values: none of its sources is a Helm chart", app)
	}
	if path == "" {
		return fmt.Errorf("the charts of application %s have no values", app)
	}
	var known []string
	for _, s := range found {
		for _, v := range s.Values {
			known = append(known, strings.Join(v.Path, "."))
		}
	}
	return fmt.Errorf("the charts of application %s have no value %s%s", app, path, gitops.DidYouMean(path, known))
}

func (w *valuesFlags) print(all []explained) error {
	if !table.Tabular(w.output) {
		return table.PrintValue(w.Out, w.output, all)
	}
	return table.Print(w.Global, valuesTable(all, w.output), w.output)
}

func valuesTable(all []explained, output string) table.Table {
	value := table.CompactJSON
	if output == table.AsWide {
		value = table.PlainJSON
	}
	t := table.Table{Keys: 1, Whole: true, Header: []string{"VALUE", "IS", "FROM", "WHERE"}}
	for _, e := range all {
		path, is := e.Path, value(e.Value)
		for i, l := range slices.Backward(e.Layers) {
			if i < len(e.Layers)-1 {
				path, is = "", "("+value(l.Value)+")"
			}
			t.Rows = append(t.Rows, []string{path, is, layerName(l), table.Dash(l.Where)})
		}
	}
	return t
}

func layerName(l explainedFrom) string {
	words := map[string]string{
		string(gitops.LayerChart): "chart", string(gitops.LayerValueFile): "value file", string(gitops.LayerValues): "values of the Application",
		string(gitops.LayerParameter): "parameter", string(gitops.LayerFileParameter): "file parameter",
	}
	if l.Kind == string(gitops.LayerChart) || l.Kind == string(gitops.LayerParameter) || l.Kind == string(gitops.LayerFileParameter) {
		return strings.TrimSpace(words[l.Kind] + " " + l.Name)
	}
	return words[l.Kind]
}
