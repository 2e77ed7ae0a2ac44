package helm

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// maxNested bounds dependencies of dependencies.
const maxNested = 16

// dependencies adds to a chart the dependencies that are not vendored.
type dependencies struct {
	renderer *Renderer
	source   *source.Source
}

// complete adds the dependencies of a chart that are neither in charts/ nor
// switched off by the values that the chart is given.
func (b dependencies) complete(ctx context.Context, ch *loaded, at source.File, values map[string]any, depth int) error {
	if depth > maxNested {
		return gitops.Problemf(gitops.Invalid, "cannot build the dependencies of chart %s: they go round in a circle", ch.Name()).At(at.Where(0))
	}
	missing, err := b.missing(ch.Chart, at, values)
	if err != nil || len(missing) == 0 {
		return err
	}
	locked, err := lockedVersions(ch.Chart, at)
	if err != nil {
		return err
	}
	var built []string
	for _, i := range missing {
		d := ch.Metadata.Dependencies[i]
		if slices.Contains(built, d.Name+" "+locked[i]) {
			continue // the same under another alias
		}
		built = append(built, d.Name+" "+locked[i])
		sub, err := b.build(ctx, ch, i, locked[i], at, values, depth)
		if err != nil {
			return err
		}
		ch.AddDependency(sub.Chart)
		ch.listsAPIs = ch.listsAPIs || sub.listsAPIs
		ch.parts = append(ch.parts, sub.parts...)
	}
	return nil
}

// missing are the indices of dependencies that have to be built.
func (b dependencies) missing(ch *chart.Chart, at source.File, values map[string]any) ([]int, error) {
	var out []int
	for i, d := range ch.Metadata.Dependencies {
		if !vendored(ch, d) {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	// Asked on a copy: it takes what is switched off out of the chart.
	try := clone(ch)
	all := slices.Clone(try.Metadata.Dependencies)
	if err := resolve(try, values); err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot resolve the dependencies of chart %s: %w", ch.Name(), err).
			At(at.Where(0)).Do("compare Chart.yaml and the values")
	}
	return slices.DeleteFunc(out, func(i int) bool { return !all[i].Enabled }), nil
}

func vendored(ch *chart.Chart, d *chart.Dependency) bool {
	for _, have := range ch.Dependencies() {
		if have.Name() == d.Name {
			return true
		}
	}
	return false
}

func (b dependencies) build(ctx context.Context, ch *loaded, i int, version string, at source.File, values map[string]any, depth int) (loaded, error) {
	d := ch.Metadata.Dependencies[i]
	next, err := b.find(ctx, ch, i, version, at)
	if err != nil {
		return loaded{}, err
	}
	sub, err := b.renderer.folder(ctx, b.source, next)
	if errors.Is(err, fs.ErrNotExist) {
		return loaded{}, unbuilt(ch.Chart, i, version, at, err)
	}
	if err != nil {
		return loaded{}, err
	}
	return sub, b.complete(ctx, &sub, next, below(ch.Chart, d, values), depth+1)
}

// find is the folder of a dependency.
func (b dependencies) find(ctx context.Context, ch *loaded, i int, version string, at source.File) (source.File, error) {
	if rel, ok := strings.CutPrefix(ch.Metadata.Dependencies[i].Repository, "file://"); ok {
		return b.beside(ch, i, at, rel)
	}
	next, err := b.remote(ctx, ch, i, version)
	if err != nil {
		return source.File{}, unbuilt(ch.Chart, i, version, at, err)
	}
	return next, nil
}

// below are the values of a chart that its dependency is given.
func below(ch *chart.Chart, d *chart.Dependency, values map[string]any) map[string]any {
	name := d.Name
	if d.Alias != "" {
		name = d.Alias
	}
	all := mergeMaps(ch.Values, values)
	sub, _ := all[name].(map[string]any)
	global, _ := all["global"].(map[string]any)
	own, _ := sub["global"].(map[string]any)
	out := mergeMaps(sub, map[string]any{"global": mergeMaps(own, global)})
	if tags, ok := all["tags"]; ok {
		out["tags"] = tags
	}
	return out
}

// beside finds a dependency in the same tree.
func (b dependencies) beside(ch *loaded, i int, at source.File, rel string) (source.File, error) {
	d := ch.Metadata.Dependencies[i]
	dir, ok := source.Inside(at.Name, rel)
	if !ok || strings.HasPrefix(rel, "/") {
		return source.File{}, gitops.Problemf(gitops.Invalid, "cannot build dependency %s of chart %s: %s is outside the repository", d.Name, ch.Name(), d.Repository).
			At(declared(ch.Chart, i, at)).Do("write a file:// path relative to the chart")
	}
	return source.File{Tree: at.Tree, Name: dir}, nil
}

// remote fetches a dependency.
func (b dependencies) remote(ctx context.Context, ch *loaded, i int, version string) (source.File, error) {
	d := ch.Metadata.Dependencies[i]
	if err := addressable(d); err != nil {
		return source.File{}, err
	}
	ref := b.source.Beside(d.Repository, d.Name, version)
	ref.PassCredentials = b.source.Spec.Helm != nil && b.source.Spec.Helm.PassCredentials
	if b.source.Remote == nil {
		return source.File{}, gitops.Problemf(gitops.NotFound, "it is not in charts/, and nothing is read from elsewhere here").
			Do("vendor it (helm dependency build) or mirror its repository")
	}
	tree, err := b.source.Remote.Tree(ctx, ref)
	return source.File{Tree: tree, Name: "."}, err
}

// addressable refuses what only some machine knows the address of.
func addressable(d *chart.Dependency) error {
	p := func(why, fix string) error {
		return gitops.Problemf(gitops.Invalid, "it is not in charts/, and %s", why).Do(fix)
	}
	switch {
	case d.Repository == "":
		return p("Chart.yaml names no repository for it", "write its repository into Chart.yaml, or vendor it (helm dependency build)")
	case strings.HasPrefix(d.Repository, "@"), strings.HasPrefix(d.Repository, "alias:"):
		return p("repository "+d.Repository+" is a name that only the machine knows on which it was given (helm repo add)",
			"write the address of the repository into Chart.yaml, or vendor it")
	case !strings.Contains(d.Repository, "://"):
		return p("repository "+d.Repository+" is no address", "write an address with https:// or oci:// into Chart.yaml")
	}
	return nil
}

// unbuilt says whose dependency it is that a Problem is about, and where the
// chart has it. What is not mirrored is told in its own words and place, once
// for all who need it.
func unbuilt(ch *chart.Chart, i int, version string, at source.File, err error) error {
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind == gitops.NotMirrored {
		return err
	}
	d := ch.Metadata.Dependencies[i]
	moved := *p
	moved.Where = declared(ch, i, at)
	moved.What = strings.TrimSpace("cannot build dependency "+d.Name+" "+version) + " of chart " + ch.Name()
	if strings.Contains(d.Repository, "://") {
		moved.What += " from " + redacted(d.Repository)
	}
	moved.What += ": " + p.What
	return &moved
}

// declared is the line of Chart.yaml, or of requirements.yaml, that names a
// dependency; without a line where it cannot be told.
func declared(ch *chart.Chart, i int, at source.File) gitops.Origin {
	for _, base := range []string{"Chart.yaml", "requirements.yaml"} {
		for _, f := range ch.Raw {
			if f.Name != base {
				continue
			}
			if line := linesOf(f.Data).named("dependencies", i, ch.Metadata.Dependencies[i].Name); line > 0 {
				return at.Tree.Where(path.Join(at.Name, base), line)
			}
		}
	}
	return at.Tree.Where(path.Join(at.Name, "Chart.yaml"), 0)
}
