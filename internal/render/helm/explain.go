package helm

import (
	"context"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

var _ source.Explainer = (*Renderer)(nil)

// Explain implements source.Explainer. A default that a null takes away is
// told as a value whose last layer is nil.
func (r *Renderer) Explain(ctx context.Context, s *source.Source) ([]gitops.Value, error) {
	spec := s.Spec.Helm
	if spec == nil {
		spec = &v1alpha1.ApplicationSourceHelm{}
	}
	own, err := r.layers(ctx, s, spec)
	if err != nil {
		return nil, err
	}
	set, err := parameterLayers(s, spec)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, l := range own {
		values = mergeMaps(values, l.values)
	}
	if err := parameters(s, spec, values); err != nil {
		return nil, err
	}
	ch, err := r.load(ctx, s, values)
	if err != nil {
		return nil, err
	}
	merged, err := merged(s, ch.Chart, values)
	if err != nil {
		return nil, err
	}
	x := explanation{chart: ch, source: s}
	x.charts(ch.Chart, nil)
	for _, l := range slices.Concat(own, set) {
		x.layers = append(x.layers, scoped{layer: l})
	}
	return x.values(merged), nil
}

// merged are the values that templates see.
func merged(s *source.Source, ch *chart.Chart, values map[string]any) (map[string]any, error) {
	if err := chartutil.ProcessDependencies(ch, values); err != nil {
		return nil, problem(s, "cannot resolve the dependencies of chart %s: %w", ch.Name(), err).Do("compare Chart.yaml and the values")
	}
	all, err := util.CoalesceValues(ch, values)
	if err != nil {
		return nil, problem(s, "cannot merge the values of chart %s: %w", ch.Name(), err).Do("compare the values with those of the chart")
	}
	return all, nil
}

// parameterLayers has one layer a parameter: what it sets alone.
func parameterLayers(s *source.Source, spec *v1alpha1.ApplicationSourceHelm) ([]layer, error) {
	set, err := assignments(s, spec)
	if err != nil {
		return nil, err
	}
	var out []layer
	var made alone
	for _, a := range set {
		values := map[string]any{}
		if err := made.add(a.set); err != nil {
			return nil, problem(s, "cannot explain helm parameter %s: %w", shortened(a.name), err).Do("give lists by helm.valuesObject")
		}
		if err := parameter(s, a, values); err != nil {
			return nil, err
		}
		out = append(out, layer{kind: gitops.LayerParameter, name: a.name, values: values})
	}
	texts := fileTexts{}
	for _, p := range spec.FileParameters {
		values := map[string]any{}
		if err := fileParameter(s, p, texts, values); err != nil {
			return nil, err
		}
		at, err := s.Locate(p.Path)
		if err != nil {
			return nil, err
		}
		out = append(out, layer{kind: gitops.LayerFileParameter, name: p.Name, at: at, values: values})
	}
	return out, nil
}

// scoped is a layer whose values stand below a path of the merged ones.
type scoped struct {
	layer
	below []string
	lines *lines
}

type explanation struct {
	source *source.Source
	chart  loaded
	layers []scoped
	// scopes are the paths of the values of dependencies.
	scopes [][]string
}

// charts adds the values.yaml of a chart and before it, as they are weaker,
// those of its dependencies.
func (x *explanation) charts(ch *chart.Chart, below []string) {
	for _, d := range ch.Dependencies() {
		inside := append(slices.Clone(below), d.Name())
		x.scopes = append(x.scopes, inside)
		x.charts(d, inside)
	}
	file := rawValues(ch)
	if file == nil {
		return
	}
	values, err := parseValues(file.Data)
	if err != nil {
		return // the loader has read it already
	}
	l := layer{kind: gitops.LayerChart, name: ch.Name(), text: file.Data, values: values}
	l.at, _ = x.chart.place(file)
	x.layers = append(x.layers, scoped{layer: l, below: below})
}

func rawValues(ch *chart.Chart) *common.File {
	for _, f := range ch.Raw {
		if f != nil && f.Name == chartutil.ValuesfileName {
			return f
		}
	}
	return nil
}

// values explains each leaf, and what was taken away.
func (x *explanation) values(all map[string]any) []gitops.Value {
	var out []gitops.Value
	leaves(all, nil, func(path []string, v any) {
		found := x.of(path)
		if len(found) == 0 {
			// Given by import-values of a dependency.
			found = []gitops.Layer{{Kind: gitops.LayerChart, Name: x.chart.Name() + " (import-values)", Value: v}}
		}
		out = append(out, gitops.Value{Path: path, Layers: found})
	})
	for _, path := range x.gone(all) {
		out = append(out, gitops.Value{Path: path, Layers: x.of(path)})
	}
	slices.SortFunc(out, func(a, b gitops.Value) int { return slices.Compare(a.Path, b.Path) })
	return out
}

// gone are the paths that a null has emptied.
func (x *explanation) gone(all map[string]any) [][]string {
	var out [][]string
	seen := map[string]bool{}
	for _, l := range x.layers {
		leaves(l.values, l.below, func(path []string, v any) {
			key := strings.Join(path, "\x00")
			if _, there := lookup(all, path); v != nil || there || seen[key] {
				return
			}
			seen[key] = true
			if found := x.of(path); len(found) > 1 && found[len(found)-1].Value == nil {
				out = append(out, path)
			}
		})
	}
	return out
}

// of are the layers that say something of a path. The global values of the
// charts above are stronger than a dependency's own.
func (x *explanation) of(path []string) []gitops.Layer {
	out := x.at(path)
	for i := len(path) - 1; i > 0; i-- {
		if path[i] != "global" || !x.scope(path[:i]) {
			continue
		}
		for above := i - 1; above >= 0; above-- {
			if above == 0 || x.scope(path[:above]) {
				out = append(out, x.at(append(slices.Clone(path[:above]), path[i:]...))...)
			}
		}
		break
	}
	return out
}

func (x *explanation) scope(path []string) bool {
	return slices.ContainsFunc(x.scopes, func(s []string) bool { return slices.Equal(s, path) })
}

func (x *explanation) at(path []string) []gitops.Layer {
	var out []gitops.Layer
	for i := range x.layers {
		l := &x.layers[i]
		if len(path) < len(l.below) || !slices.Equal(path[:len(l.below)], l.below) {
			continue
		}
		inside := path[len(l.below):]
		v, n, ok := covering(l.values, inside)
		if !ok {
			continue
		}
		out = append(out, gitops.Layer{Kind: l.kind, Name: l.name, Origin: l.origin(inside[:n]), Value: v})
	}
	return out
}

// origin is the place of a path in the layer's text.
func (l *scoped) origin(path []string) gitops.Origin {
	if l.at.Tree == nil {
		return gitops.Origin{}
	}
	if l.kind == gitops.LayerFileParameter {
		return l.at.Where(1)
	}
	if l.lines == nil {
		l.lines = linesOf(l.text)
	}
	return l.at.Where(l.lines.of(path))
}

// leaves calls f for everything below values that is no map with content.
func leaves(values map[string]any, path []string, f func([]string, any)) {
	for key, v := range values {
		at := append(slices.Clone(path), key)
		if m, ok := v.(map[string]any); ok && len(m) > 0 {
			leaves(m, at, f)
			continue
		}
		if m, ok := v.(common.Values); ok && len(m) > 0 {
			leaves(m, at, f)
			continue
		}
		f(at, v)
	}
}

func lookup(values map[string]any, path []string) (any, bool) {
	v, n, ok := covering(values, path)
	return v, ok && n == len(path)
}

// covering is the value at a path or, where something other than a map stands
// on the way to it, that; n is the length of the path that led there.
func covering(values map[string]any, path []string) (v any, n int, ok bool) {
	v = values
	for i, key := range path {
		m, isMap := v.(map[string]any)
		if w, is := v.(common.Values); is {
			m, isMap = w, true
		}
		if !isMap {
			return v, i, i > 0
		}
		next, there := m[key]
		if !there {
			return nil, i, false
		}
		v = next
	}
	return v, len(path), true
}
