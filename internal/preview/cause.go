package preview

import (
	"context"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
)

// Kinds of causes.
const (
	causeFile     = "file"
	causeValue    = "value"
	causeMetadata = "metadata"
	causeSpec     = "spec"
	causeSource   = "source"
)

// maxCauses bounds what is told of one application.
const maxCauses = 12

// causes tells which edits lead to a change, the closest first: values,
// files, sources, and then what made the Application itself differ.
func (c *comparison) causes(ctx context.Context, p *pair) []forecast.Cause {
	var out []forecast.Cause
	if p.base != nil && p.head != nil && !p.unknown {
		out = append(out, c.valueCauses(ctx, p)...)
		out = append(out, c.fileCauses(ctx, p, out)...)
		out = append(out, sourceCauses(p)...)
	}
	out = append(out, c.makerCauses(p)...)
	if why := p.stays(); why != "" {
		out = append(out, forecast.Cause{Kind: causeSpec, What: why})
	}
	if len(out) > maxCauses {
		p.moreCauses = len(out) - maxCauses
		out = out[:maxCauses]
	}
	return out
}

// valueCauses are the Helm values that differ, with the layer that won.
func (c *comparison) valueCauses(ctx context.Context, p *pair) []forecast.Cause {
	before, err := c.before.Values(ctx, p.base)
	if err != nil {
		return nil
	}
	after, err := c.after.Values(ctx, p.head)
	if err != nil {
		return nil
	}
	return valueChanges(before, after, p.masker)
}

// valueChanges are the values that differ: sources may have values of one name.
func valueChanges(before, after []render.SourceValues, m redact.Masker) []forecast.Cause {
	old := winners(before)
	var out []forecast.Cause
	for _, v := range flat(after) {
		was, had := old[v.id()]
		delete(old, v.id())
		if had && reflect.DeepEqual(was.layer.Value, v.layer.Value) {
			continue
		}
		out = append(out, v.cause(was, had, m))
	}
	for _, v := range flat(before) {
		if _, gone := old[v.id()]; gone {
			out = append(out, forecast.Cause{
				Kind: causeValue, What: fmt.Sprintf("%s: %s is not set any more", v.from(), v.path),
				File: v.layer.Origin.File, Line: v.layer.Origin.Line,
			})
		}
	}
	return out
}

// value is one value with the layer that won.
type value struct {
	source int
	path   string
	keys   []string
	layer  gitops.Layer
}

// valueID tells values of one Application apart.
type valueID struct {
	source int
	path   string
}

func (v value) id() valueID { return valueID{v.source, v.path} }

func flat(all []render.SourceValues) []value {
	var out []value
	for _, s := range all {
		for _, v := range s.Values {
			if n := len(v.Layers); n > 0 && !ofSOPS(v.Path) {
				out = append(out, value{s.Source, strings.Join(v.Path, "."), v.Path, v.Layers[n-1]})
			}
		}
	}
	return out
}

// ofSOPS tells of what SOPS writes into a file besides the values.
func ofSOPS(path []string) bool { return len(path) > 1 && path[0] == "sops" }

func winners(all []render.SourceValues) map[valueID]value {
	out := map[valueID]value{}
	for _, v := range flat(all) {
		out[v.id()] = v
	}
	return out
}

// from names the layer.
func (v value) from() string {
	switch v.layer.Kind {
	case gitops.LayerParameter, gitops.LayerFileParameter:
		return "parameter"
	case gitops.LayerValues:
		return "values of the Application"
	case gitops.LayerChart:
		return "chart " + v.layer.Name
	case gitops.LayerValueFile, gitops.LayerKustomization, gitops.LayerSource:
	}
	return orElse(v.layer.Origin.File, v.layer.Name)
}

func (v value) cause(was value, had bool, m redact.Masker) forecast.Cause {
	old := "(none)"
	if had {
		old = short(m.Value(was.keys, was.layer.Value))
	}
	return forecast.Cause{
		Kind: causeValue, What: fmt.Sprintf("%s: %s %s → %s", v.from(), v.path, old, short(m.Value(v.keys, v.layer.Value))),
		File: v.layer.Origin.File, Line: v.layer.Origin.Line,
	}
}

// short is a value in few characters.
func short(value any) string {
	const most = 60
	text := strings.ReplaceAll(fmt.Sprint(value), "\n", " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}

// fileCauses are the files that were read and differ, but for those whose
// values are told already.
func (c *comparison) fileCauses(ctx context.Context, p *pair, told []forecast.Cause) []forecast.Cause {
	before, after := c.before.input(p.base, c.options.Namespace), c.after.input(p.head, c.options.Namespace)
	files, _ := c.after.Side.Renderer.Changed(ctx, before, after)
	var out []forecast.Cause
	for _, f := range files {
		f = c.after.Side.place(f)
		known := slices.ContainsFunc(told, func(t forecast.Cause) bool { return t.File == f.File })
		if known || f.File == "" || f.File == "." || movedChart(p, f) {
			continue
		}
		out = append(out, forecast.Cause{Kind: causeFile, What: f.File, File: f.File})
	}
	return out
}

// movedChart reports whether a file belongs to a chart whose version moved, which
// is told as one cause.
func movedChart(p *pair, f gitops.Origin) bool {
	if f.RepoURL == "" || f.Source < 0 || f.Source >= len(p.head.Snapshots) || f.Source >= len(p.base.Snapshots) {
		return false
	}
	return p.head.Snapshots[f.Source].Ref.Chart != "" && p.head.Snapshots[f.Source].Revision != p.base.Snapshots[f.Source].Revision
}

// sourceCauses are charts and revisions from elsewhere that moved.
func sourceCauses(p *pair) []forecast.Cause {
	a, b := p.base.Spec.GetSources(), p.head.Spec.GetSources()
	var out []forecast.Cause
	for i := range min(len(a), len(b), len(p.base.Snapshots), len(p.head.Snapshots)) {
		old, now := p.base.Snapshots[i], p.head.Snapshots[i]
		if b[i].Chart == "" || old.Revision == now.Revision {
			continue
		}
		out = append(out, forecast.Cause{Kind: causeSource, What: fmt.Sprintf("chart %s %s → %s", b[i].Chart, old.Revision, now.Revision)})
	}
	return out
}

// makerCauses say why the Application itself comes, goes or differs.
func (c *comparison) makerCauses(p *pair) []forecast.Cause {
	if p.change == forecast.Changed && len(p.fields) == 0 {
		return nil
	}
	a := p.any()
	if a.Parent.Kind != v1alpha1.ApplicationSetKind {
		return c.placeCauses(p, a)
	}
	before, after := c.before.Sets[a.Parent], c.after.Sets[a.Parent]
	switch {
	case before == nil && after != nil:
		return []forecast.Cause{{Kind: causeSpec, What: fmt.Sprintf("%s is new", a.Parent), File: after.Place.File, Line: after.Place.Line}}
	case after == nil && before != nil:
		return []forecast.Cause{{Kind: causeSpec, What: fmt.Sprintf("%s is gone", a.Parent), File: before.Place.File, Line: before.Place.Line}}
	case before == nil:
		return nil
	}
	out := c.metadataCauses(p, a, before, after)
	if !reflect.DeepEqual(before.Spec, after.Spec) {
		out = append(out, forecast.Cause{Kind: causeSpec, What: fmt.Sprintf("%s is changed", a.Parent), File: after.Place.File, Line: after.Place.Line})
	}
	if len(out) == 0 {
		out = append(out, c.generatorFiles(before, after)...)
	}
	return out
}

// placeCauses point at the file that declares an application.
func (c *comparison) placeCauses(p *pair, a *App) []forecast.Cause {
	if a.Place.File == "" {
		return nil
	}
	verb := map[forecast.Change]string{forecast.Added: "is new", forecast.Removed: "is gone", forecast.Changed: "is changed"}[p.change]
	own := forecast.Cause{Kind: causeSpec, What: fmt.Sprintf("Application %s %s", a.Name, verb), File: a.Place.File, Line: a.Place.Line}
	return append(c.ancestorCauses(a, 0), own)
}

// ancestorCauses are the changes of metadata that reach an application through
// those that make it.
func (c *comparison) ancestorCauses(a *App, depth int) []forecast.Cause {
	i, ok := slices.BinarySearchFunc(c.pairs, a.Parent, func(p *pair, id ID) int { return p.id.compare(id) })
	if !ok || depth > maxDepth {
		return nil
	}
	p := c.pairs[i]
	maker := p.any()
	before, after := c.before.Sets[maker.Parent], c.after.Sets[maker.Parent]
	if before == nil || after == nil {
		return c.ancestorCauses(maker, depth+1)
	}
	return c.metadataCauses(p, maker, before, after)
}

// metadataCauses are the keys of the cluster that the set reads and that
// differ, and clusters that came or went.
func (c *comparison) metadataCauses(p *pair, a *App, before, after *Set) []forecast.Cause {
	var out []forecast.Cause
	name := a.Cluster.Name
	_, wasThere := clusterOf(c.before, name)
	_, isThere := clusterOf(c.after, name)
	switch {
	case isThere && !wasThere && p.base == nil:
		out = append(out, forecast.Cause{Kind: causeMetadata, What: "cluster " + name + " is new"})
	case wasThere && !isThere && p.head == nil:
		out = append(out, forecast.Cause{Kind: causeMetadata, What: "cluster " + name + " is gone"})
	}
	read := func(key string) bool {
		return slices.ContainsFunc([]*Set{before, after}, func(x *Set) bool { return x.Expansion != nil && x.Expansion.Reads.Asks(key) })
	}
	for _, cluster := range slices.Sorted(maps.Keys(c.metadata)) {
		changes := c.metadata[cluster]
		// An application that goes to the hub may be made for another cluster.
		if cluster != name && object.ReplaceWord(a.Name, cluster, "") == a.Name {
			continue
		}
		for _, m := range changes {
			if read(m.Key) || p.base == nil || p.head == nil {
				out = append(out, forecast.Cause{Kind: causeMetadata, What: m.String()})
			}
		}
	}
	return out
}

func clusterOf(s *State, name string) (gitops.Cluster, bool) {
	for _, c := range s.Side.Roster.Clusters {
		if c.Name == name {
			return c.Cluster, true
		}
	}
	return gitops.Cluster{}, false
}

// generatorFiles say that what a set's generators read has changed.
func (c *comparison) generatorFiles(before, after *Set) []forecast.Cause {
	if before.Expansion == nil || after.Expansion == nil || len(after.Expansion.Reads.Repos) == 0 {
		return nil
	}
	var out []forecast.Cause
	for _, r := range after.Expansion.Reads.Repos {
		out = append(out, forecast.Cause{Kind: causeFile, What: fmt.Sprintf("files that %s reads from %s", after.ID, path.Base(gitops.PublicAddress(r.RepoURL)))})
	}
	return out
}
