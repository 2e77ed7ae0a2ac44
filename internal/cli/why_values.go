package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
)

// valuesFlags ask for the Helm values of an application, with the layers of each.
type valuesFlags struct {
	offlineFlags

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
func newWhyValue(g *global) *cobra.Command {
	w := &valuesFlags{offlineFlags: offlineFlags{global: g}, output: asTable}
	cmd := &cobra.Command{
		Use: "value APP [PATH]", Hidden: true,
		Short: "The former name of causeway why APP --values, and of causeway why APP --value PATH without the chain from a cluster",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usagef("name an application, and a path if not all values are asked for")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			now := "causeway why APP --values"
			if len(args) > 1 {
				now = "causeway why APP --value PATH"
			}
			g.moved("causeway why value", now)
			if err := w.unused(cmd); err != nil {
				return err
			}
			w.offline = w.asked(cmd)
			return w.run(cmd.Context(), append(args, "")[:2])
		},
		ValidArgsFunction: g.completeApp,
	}
	w.register(cmd)
	cmd.Flags().StringVar(&w.revision, "revision", "", "with --repo: revision to look at (default: the work tree)")
	cmd.Flags().StringVarP(&w.output, "output", "o", w.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (w *valuesFlags) run(ctx context.Context, args []string) error {
	if err := checkOutput(w.output, asTable, asWide, asJSON, asYAML); err != nil {
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
	mirrors, err := steadyMirrors(w.mirrors)
	if err != nil {
		return valuesOf{}, err
	}
	h, err := w.reachWithout(w.mirrors)
	if err != nil {
		return valuesOf{}, err
	}
	application, err := h.application(ctx, name)
	if err != nil {
		return valuesOf{}, err
	}
	if h.server != nil {
		return h.servedValues(ctx, application)
	}
	inspector, err := w.inspect(ctx, h, mirrors)
	if err != nil {
		return valuesOf{}, err
	}
	defer inspector.Close()
	values, err := inspector.Values(ctx, application)
	if err != nil {
		return valuesOf{}, err
	}
	rendering, err := inspector.Render(ctx, application)
	return masked(values, rendering, err), nil
}

func (w *valuesFlags) fromRepo(ctx context.Context, name string) (valuesOf, error) {
	c, err := w.open(ctx)
	if err != nil {
		return valuesOf{}, err
	}
	defer c.Close()
	side, err := w.at(ctx, c, w.revision)
	if err != nil {
		return valuesOf{}, err
	}
	state, err := preview.Expand(ctx, side, preview.Options{Namespace: w.namespace, Roots: w.roots})
	if err != nil {
		return valuesOf{}, err
	}
	var known []string
	for _, a := range state.Applications() {
		if a.Name == name {
			return explainApp(ctx, state, a)
		}
		known = append(known, a.Name)
	}
	return valuesOf{}, fmt.Errorf("the repository gives no Application %q%s", name, gitops.DidYouMean(name, known))
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
			at := strings.Join(v.Path, ".")
			if path != "" && at != path && !strings.HasPrefix(at, path+".") && !strings.HasPrefix(path, at+".") {
				continue
			}
			out = append(out, explainedValue(s.Source, at, v, found.masker))
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
	if !tabular(w.output) {
		return printValue(w.Out, w.output, all)
	}
	return w.printTable(valuesTable(all, w.output), w.output)
}

func valuesTable(all []explained, output string) table {
	value := compactJSON
	if output == asWide {
		value = plainJSON
	}
	t := table{keys: 1, whole: true, header: []string{"VALUE", "IS", "FROM", "WHERE"}}
	for _, e := range all {
		path, is := e.Path, value(e.Value)
		for i, l := range slices.Backward(e.Layers) {
			if i < len(e.Layers)-1 {
				path, is = "", "("+value(l.Value)+")"
			}
			t.rows = append(t.rows, []string{path, is, layerName(l), dash(l.Where)})
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

// plainJSON is a value in one line.
func plainJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.Trim(string(text), `"`)
}

// compactJSON is a value in one short line.
func compactJSON(v any) string {
	const most = 48
	out := plainJSON(v)
	if r := []rune(out); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return out
}
