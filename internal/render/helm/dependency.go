package helm

import (
	"context"
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// maxNested bounds dependencies of dependencies.
const maxNested = 16

// dependencies adds to a chart the dependencies that are not vendored.
type dependencies struct {
	renderer *Renderer
	source   *source.Source
}

func (b dependencies) complete(ctx context.Context, ch *loaded, at source.File, depth int) error {
	if depth > maxNested {
		return gitops.Problemf(gitops.Invalid, "cannot build the dependencies of chart %s: they go round in a circle", ch.Name()).At(at.Where(0))
	}
	for _, d := range ch.Metadata.Dependencies {
		if vendored(ch.Chart, d) {
			continue
		}
		sub, err := b.build(ctx, ch, d, at, depth)
		if err != nil {
			return err
		}
		ch.AddDependency(sub.Chart)
		ch.listsAPIs = ch.listsAPIs || sub.listsAPIs
	}
	return nil
}

func vendored(ch *chart.Chart, d *chart.Dependency) bool {
	for _, have := range ch.Dependencies() {
		if have.Name() == d.Name {
			return true
		}
	}
	return false
}

func (b dependencies) build(ctx context.Context, ch *loaded, d *chart.Dependency, at source.File, depth int) (loaded, error) {
	var next source.File
	var err error
	if rel, ok := strings.CutPrefix(d.Repository, "file://"); ok {
		next, err = b.beside(ch, d, at, rel)
	} else {
		next, err = b.remote(ctx, ch, d, at)
	}
	if err != nil {
		return loaded{}, err
	}
	sub, err := b.renderer.folder(next)
	if err != nil {
		return loaded{}, err
	}
	return sub, b.complete(ctx, &sub, next, depth+1)
}

// beside finds a dependency in the same tree.
func (b dependencies) beside(ch *loaded, d *chart.Dependency, at source.File, rel string) (source.File, error) {
	dir, ok := source.Inside(at.Name, rel)
	if !ok || strings.HasPrefix(rel, "/") {
		return source.File{}, gitops.Problemf(gitops.Invalid, "cannot build dependency %s of chart %s: %s is outside the repository", d.Name, ch.Name(), d.Repository).
			At(at.Where(0)).Do("write a file:// path relative to the chart")
	}
	return source.File{Tree: at.Tree, Name: dir}, nil
}

// remote fetches a dependency, at the locked version if there is one.
func (b dependencies) remote(ctx context.Context, ch *loaded, d *chart.Dependency, at source.File) (source.File, error) {
	version := d.Version
	if ch.Lock != nil {
		for _, l := range ch.Lock.Dependencies {
			if l.Name == d.Name && l.Repository == d.Repository {
				version = l.Version
			}
		}
	}
	if b.renderer.charts == nil || !strings.Contains(d.Repository, "://") {
		return source.File{}, gitops.Problemf(gitops.NotFound, "cannot build dependency %s %s of chart %s: it is not in charts/ and %q cannot be read from here", d.Name, version, ch.Name(), d.Repository).
			At(at.Where(0)).Do("vendor it (helm dependency build) or mirror its repository")
	}
	snapshot, err := b.renderer.charts.Chart(ctx, gitops.SourceRef{RepoURL: d.Repository, Chart: d.Name, Revision: version, Project: b.source.Project})
	if err != nil {
		return source.File{}, err
	}
	return source.File{Tree: record.Wrap(ctx, snapshot, record.Limits{}), Name: "."}, nil
}
