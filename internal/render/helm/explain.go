package helm

import (
	"cmp"
	"context"
	"fmt"
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
	x := newExplanation(ch, s)
	x.charts(ch.Chart, nil)
	for _, l := range slices.Concat(own, set) {
		x.add(scoped{layer: l})
	}
	return x.values(ctx, merged)
}

// merged are the values that templates see.
func merged(s *source.Source, ch *chart.Chart, values map[string]any) (map[string]any, error) {
	if err := resolve(ch, values); err != nil {
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

// Bounds of what is told of the values of all sources of an application together.
// Charts of public fleets have some 6,000 values, and of one a hundred layers at most.
const (
	// mostAsked is how often a layer is asked about a value: about a second.
	mostAsked = 10_000_000
	// mostTold is the memory of all that is told, in bytes, as it is written for who
	// reads it: a layer stands at each value that it covers, with what it says there.
	mostTold = 32 << 20
	// layerTold is what a layer takes besides its value: its place, and a few words.
	layerTold = 256
	// askedAtOnce is how many layers are asked before the context is.
	askedAtOnce = 1 << 10
)

type explanation struct {
	source *source.Source
	chart  loaded
	layers []*scoped
	// about are the layers, in their order, by the first key of what they say.
	about map[string][]*scoped
	// scopes are the paths of the values of dependencies, as keyOf has them.
	scopes map[string]bool
	// spent is what was asked and told so far, of mostAsked and mostTold.
	spent *source.Explained
}

func newExplanation(ch loaded, s *source.Source) *explanation {
	return &explanation{chart: ch, source: s, about: map[string][]*scoped{}, scopes: map[string]bool{}, spent: cmp.Or(s.Explained, &source.Explained{})}
}

// add adds a layer that is stronger than all before it.
func (x *explanation) add(l scoped) {
	x.layers = append(x.layers, &l)
	if len(l.below) > 0 {
		x.about[l.below[0]] = append(x.about[l.below[0]], &l)
		return
	}
	for key := range l.values {
		x.about[key] = append(x.about[key], &l)
	}
}

// tooMuch says that the values of the sources are more than can be told.
func (x *explanation) tooMuch(what string) error {
	return problem(x.source, "cannot explain the values of chart %s: %s", x.chart.Name(), what).
		Do("give fewer and smaller value files and parameters, or put them together; it is rendered all the same")
}

func keyOf(path []string) string { return strings.Join(path, "\x00") }

// charts adds the values.yaml of a chart and before it, as they are weaker,
// those of its dependencies.
func (x *explanation) charts(ch *chart.Chart, below []string) {
	for _, d := range ch.Dependencies() {
		inside := append(slices.Clone(below), d.Name())
		x.scopes[keyOf(inside)] = true
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
	x.add(scoped{layer: l, below: below})
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
func (x *explanation) values(ctx context.Context, all map[string]any) ([]gitops.Value, error) {
	var out []gitops.Value
	err := leaves(all, nil, func(path []string, v any) error {
		found, err := x.of(ctx, path)
		if len(found) == 0 && err == nil {
			// Given by import-values of a dependency.
			found, err = x.tell(nil, path, gitops.Layer{Kind: gitops.LayerChart, Name: x.chart.Name() + " (import-values)", Value: v})
		}
		out = append(out, gitops.Value{Path: path, Layers: found})
		return err
	})
	if err != nil {
		return nil, err
	}
	gone, err := x.gone(ctx, all)
	if err != nil {
		return nil, err
	}
	out = append(out, gone...)
	slices.SortFunc(out, func(a, b gitops.Value) int { return slices.Compare(a.Path, b.Path) })
	return out, nil
}

// gone are those that a null has emptied.
func (x *explanation) gone(ctx context.Context, all map[string]any) ([]gitops.Value, error) {
	var out []gitops.Value
	seen := map[string]bool{}
	for _, l := range x.layers {
		err := leaves(l.values, l.below, func(path []string, v any) error {
			if v != nil {
				return nil
			}
			key := keyOf(path)
			if _, there := lookup(all, path); there || seen[key] {
				return nil
			}
			seen[key] = true
			found, err := x.of(ctx, path)
			if len(found) > 1 && found[len(found)-1].Value == nil {
				out = append(out, gitops.Value{Path: path, Layers: found})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// of are the layers that say something of a path. The global values of the
// charts above are stronger than a dependency's own.
func (x *explanation) of(ctx context.Context, path []string) ([]gitops.Layer, error) {
	out, err := x.at(ctx, nil, path)
	for i := len(path) - 1; i > 0; i-- {
		if path[i] != "global" || !x.scope(path[:i]) {
			continue
		}
		for above := i - 1; above >= 0 && err == nil; above-- {
			if above == 0 || x.scope(path[:above]) {
				out, err = x.at(ctx, out, append(slices.Clone(path[:above]), path[i:]...))
			}
		}
		break
	}
	return out, err
}

func (x *explanation) scope(path []string) bool { return x.scopes[keyOf(path)] }

// at adds the layers that say something of a path themselves.
func (x *explanation) at(ctx context.Context, to []gitops.Layer, path []string) ([]gitops.Layer, error) {
	for _, l := range x.about[path[0]] {
		if err := x.ask(ctx); err != nil {
			return nil, err
		}
		if len(path) < len(l.below) || !slices.Equal(path[:len(l.below)], l.below) {
			continue
		}
		inside := path[len(l.below):]
		v, n, ok := covering(l.values, inside)
		if !ok {
			continue
		}
		var err error
		if to, err = x.tell(to, path, gitops.Layer{Kind: l.kind, Name: l.name, Origin: l.origin(inside[:n]), Value: v}); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// ask counts one layer that is asked.
func (x *explanation) ask(ctx context.Context) error {
	x.spent.Asked++
	left := mostAsked - x.spent.Asked
	if left < 0 {
		return x.tooMuch("all sources together have too many, in too many layers")
	}
	if left%askedAtOnce == 0 {
		return ctx.Err()
	}
	return nil
}

// tell adds a layer to those of a path, and counts what it takes.
func (x *explanation) tell(to []gitops.Layer, path []string, l gitops.Layer) ([]gitops.Layer, error) {
	x.spent.Told += layerTold + len(l.Name)
	for _, key := range path {
		x.spent.Told += len(key)
	}
	if left := mostTold - x.spent.Told; left > 0 {
		x.spent.Told += sizeOf(l.Value, left)
	}
	if x.spent.Told > mostTold {
		return nil, x.tooMuch(fmt.Sprintf("with all that their layers say, those of all sources together are more than %d MiB", mostTold>>20))
	}
	return append(to, l), nil
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

// leaves calls f for everything below values that is no map with content, until
// there is an error.
func leaves(values map[string]any, path []string, f func([]string, any) error) error {
	for key, v := range values {
		at := append(slices.Clone(path), key)
		m, ok := v.(map[string]any)
		if w, is := v.(common.Values); is {
			m, ok = w, true
		}
		var err error
		if ok && len(m) > 0 {
			err = leaves(m, at, f)
		} else {
			err = f(at, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// sizeOf is about how many bytes a value has when it is written, counted until
// they are more than so many.
func sizeOf(value any, most int) int {
	const each = 16 // of what is no text
	size := each
	switch value := value.(type) {
	case string:
		return size + len(value)
	case []any:
		for _, item := range value {
			if size > most {
				break
			}
			size += sizeOf(item, most-size)
		}
	case common.Values:
		return sizeOf(map[string]any(value), most)
	case map[string]any:
		for key, below := range value {
			if size > most {
				break
			}
			size += len(key) + sizeOf(below, most-size)
		}
	}
	return size
}
