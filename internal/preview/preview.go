// Package preview tells what a change makes of every application on every
// cluster, without any cluster: it expands what a repository declares at two
// revisions to the fixed point, renders what can differ, and compares.
//
// It composes the generate and render stages, which work on values; it
// fetches nothing itself, and writes nothing.
package preview

import (
	"context"
	"runtime"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Sources gives the content of what an Application refers to, as it is on one
// side of the comparison.
type Sources interface {
	Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error)
}

// Renderer renders applications, and explains renderings.
type Renderer interface {
	Application(ctx context.Context, in render.Input) (*gitops.Rendering, error)
	Values(ctx context.Context, in render.Input) ([]render.SourceValues, error)
	// Changed names the files that a kept rendering read and that differ in
	// another input's snapshots; false when nothing is kept.
	Changed(ctx context.Context, before, after render.Input) ([]gitops.Origin, bool)
	// Unaffected tells without rendering that two inputs give the same.
	Unaffected(ctx context.Context, before, after render.Input) bool
	// Untouched tells the same of two inputs that cannot be rendered, where it is
	// known which addresses lead to something else on each side.
	Untouched(ctx context.Context, before, after render.Input, known *render.Addresses) bool
}

// Side is one of the two states of a repository and its fleet.
type Side struct {
	Revision, Commit, Title string
	Sources                 Sources
	// Repo is the repository itself; Found is what it declares.
	Repo  *gitops.Snapshot
	Found *declared.Found
	// Locate finds a file of some repository in Repo; false when it lies
	// elsewhere.
	Locate func(repoURL, file string) (string, bool)
	// Moves reports whether an address may lead to something else on the other
	// side: to Repo, at a revision that the change moves. All may when nil.
	Moves func(repoURL, revision string) bool
	// Addresses by which Applications may know Repo, for people.
	Addresses []string
	Roster    roster.Roster
	// Settings of the installation.
	Settings source.Settings
	// DoublestarFiles has git generators match files by path globs, as the installation
	// is told to.
	DoublestarFiles bool
	// Rules tells what the metadata of a cluster breaks; nil for none.
	Rules func(gitops.Cluster) []Broken
	// Renderer is best shared by both sides: what is the same is then
	// rendered once.
	Renderer Renderer
}

// Broken is a rule about a cluster's metadata that does not hold.
type Broken struct {
	// Message names the key and what is wrong, and not the cluster.
	Message string
	// Schema names the object that the rule is of.
	Schema string
	// Origin is where the rule is written.
	Origin gitops.Origin
	// Refused tells that an API server takes no such Secret.
	Refused bool
}

// generator expands the sets of the side for clusters.
func (s Side) generator(clusters generate.Clusters, more ...generate.Option) *generate.Generator {
	options := []generate.Option{generate.WithNames()}
	if s.DoublestarFiles {
		options = append(options, generate.WithDoublestarFiles())
	}
	return generate.New(clusters, s.Sources, anyProject{}, append(options, more...)...)
}

// place is where something is written, as a person finds it: a file of the
// previewed repository by its path in there, others as they are.
func (s Side) place(o gitops.Origin) gitops.Origin {
	if o.RepoURL == "" || o.File == "" || s.Locate == nil {
		return o
	}
	if file, ok := s.Locate(o.RepoURL, o.File); ok {
		return gitops.Origin{Source: o.Source, File: file, Line: o.Line}
	}
	return o
}

// Options of a preview.
type Options struct {
	// Namespace of the engine's own objects; argocd when empty.
	Namespace string
	// Roots are the Applications and ApplicationSets to start from, by name,
	// Kind/name or file; all that the repository declares when empty.
	Roots []string
	// Workers is how many applications are worked on at a time.
	Workers int
	// Generators are options of the generate stage.
	Generators []generate.Option
	// Progress is told how far the work is; it must be quick and safe for
	// concurrent use.
	Progress func(stage string, done, total int)
}

func (o Options) complete() Options {
	if o.Namespace == "" {
		o.Namespace = DefaultNamespace
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return o
}

// DefaultNamespace is where Argo CD's objects live.
const DefaultNamespace = "argocd"

// Make compares two sides. The error is only of what keeps everything from
// being told; what fails of one application is in the forecast.
func Make(ctx context.Context, base, head Side, o Options) (*forecast.Forecast, error) {
	o = o.complete()
	shared := union(sharedNames(declaredNodes(base.Found), o.Namespace), sharedNames(declaredNodes(head.Found), o.Namespace))
	before, err := expand(ctx, base, o, shared)
	if err != nil {
		return nil, err
	}
	after, err := expand(ctx, head, o, shared)
	if err != nil {
		return nil, err
	}
	c := newComparison(before, after, o)
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	warnings, old, err := c.externalOfBoth(ctx)
	if err != nil {
		return nil, err
	}
	return c.forecast(ctx, warnings, old), nil
}
