package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Reading is how repositories are read, and manifests made, for whoever acts at a
// hub; see the fields of the same names of the engine's configuration.
type Reading struct {
	Interval, LocalInterval time.Duration
	Mirrors                 []source.Mirror
	// Folders may be named by Applications, PrivateHosts by files of repositories.
	Folders, PrivateHosts bool
	Rendering             Rendering
	Log                   *slog.Logger
}

// DefaultInterval is between two look-ups of a repository, DefaultLocalInterval
// between two looks at a mirrored folder.
const (
	DefaultInterval      = 2 * time.Minute
	DefaultLocalInterval = 500 * time.Millisecond
)

// OpenStages makes the stages that read repositories for whoever acts for
// projects, an engine and a command at its hub alike: what is fetched, and what
// manifests have fetched besides, is what the projects permit. The options say
// what else there is to say; an error leaves nothing open.
func OpenStages(r Reading, p Projects, o source.Options) (*source.Registry, *render.Renderer, error) {
	o.Interval, o.LocalInterval, o.Mirrors, o.Log = r.Interval, r.LocalInterval, r.Mirrors, r.Log
	o.NoFolders, o.PrivateHosts, o.Permits = !r.Folders, r.PrivateHosts, p.rule
	sources, err := source.New(o)
	if err != nil {
		return nil, nil, err
	}
	return sources, NewRenderer(r.Log, besides{sources, p}, r.Rendering, mirroredFor(r, p), nil), nil
}

// Permitted reads repositories on behalf of projects, and refuses those that a
// project does not permit: whatever asks, the credentials of the engine open
// nothing for it that its project is not to see.
type Permitted struct {
	*source.Registry

	Projects interface {
		Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	}
}

// Destinations tells generators what projects permit.
type Destinations struct {
	Projects interface {
		Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	}
	Fleet interface {
		Meant(d v1alpha1.ApplicationDestination) []gitops.Cluster
		OfProject(project string) []gitops.Cluster
	}
}

// Permits implements generate.Rules.
func (l Destinations) Permits(ctx context.Context, project string, d v1alpha1.ApplicationDestination) (bool, error) {
	p, err := l.Projects.Project(ctx, project)
	if err != nil {
		return false, err
	}
	return policy.Leads(p, d, l.Fleet.Meant(d), l.Fleet.OfProject(p.Name)) == nil, nil
}

// PermitsSource implements generate.Rules.
func (l Destinations) PermitsSource(ctx context.Context, project, repoURL string) error {
	p, err := l.Projects.Project(ctx, project)
	if err != nil {
		return err
	}
	return policy.Source(p, gitops.SourceRef{RepoURL: repoURL})
}

// LeadsTo reports whether the project of an Application permits where it goes to.
// One that it does not permit is never deployed there, whatever it says: so it
// keeps no cluster, and goes with none. Neither does one without a project.
func (l Destinations) LeadsTo(ctx context.Context, app *v1alpha1.Application, control string) (bool, error) {
	p, err := l.Projects.Project(ctx, app.Spec.GetProject())
	if gitops.IsProblem(err, gitops.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	d := app.Spec.Destination
	return policy.Namespace(p, app.Namespace, control) == nil && policy.Leads(p, d, l.Fleet.Meant(d), l.Fleet.OfProject(p.Name)) == nil, nil
}

// Snapshot resolves a reference that an Application names as its source.
func (p Permitted) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	project, err := p.Projects.Project(ctx, ref.Project)
	if err != nil {
		return nil, err
	}
	if err := policy.Source(project, ref); err != nil {
		return nil, err
	}
	return p.Registry.Snapshot(ctx, ref)
}

// besides reads what manifests of permitted repositories name besides: bases of
// kustomizations and dependencies of charts. They are read with credentials
// where the project permits their repository, and else as everybody may.
type besides Permitted

// Snapshot implements render.Snapshots.
func (b besides) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	project, err := b.Projects.Project(ctx, ref.Project)
	if err != nil {
		return nil, err
	}
	known, err := policy.Besides(project, ref)
	if err != nil {
		return nil, err
	}
	ref.Anonymous = !known
	snap, err := b.Registry.Snapshot(ctx, ref)
	if !known {
		err = unnamed(err, project)
	}
	return snap, err
}

// unnamed makes it the project's word that a repository is not read which is not
// open to everybody, and which it does not name: what was read of it when it did
// must not stay as if its host were away.
func unnamed(err error, project *v1alpha1.AppProject) error {
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Refused {
		return err
	}
	out := *p
	out.Kind, out.Err = gitops.Forbidden, err
	if !strings.Contains(p.Fix, "spec.sourceRepos") {
		out.Fix = fmt.Sprintf("add it to spec.sourceRepos of project %q if it is to be read", project.Name)
	}
	return &out
}
