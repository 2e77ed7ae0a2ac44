package application

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/render"
)

// Projects looks up AppProjects of the control namespace.
type Projects interface {
	Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
}

// Fleet finds the cluster of a destination.
type Fleet interface {
	Resolve(dest v1alpha1.ApplicationDestination) (Cluster, error)
	Clusters(ctx context.Context) ([]gitops.Cluster, error)
}

// Cluster is one member of the fleet with its caches.
type Cluster interface {
	apply.Cluster

	Desc() gitops.Cluster
	Facts(ctx context.Context) (gitops.Facts, error)
	Scope() gitops.Scope
	// Live returns the desired objects that exist and all that carry the
	// tracking name, after watching their kinds.
	Live(ctx context.Context, tracking string, kinds []schema.GroupVersionKind, keys []gitops.Key) (map[gitops.Key]*gitops.Live, error)
	// Put takes the outcome of an apply before its watch event comes.
	Put(live *gitops.Live)
}

// target is an application with everything that its spec names.
type target struct {
	app      *v1alpha1.Application
	project  *v1alpha1.AppProject
	cluster  Cluster
	tracking string
	// scoped are the clusters that belong to the project.
	scoped []gitops.Cluster
	// sources are the spec's, or those of an operation that names its own.
	sources v1alpha1.ApplicationSources
	// options are the sync options: the spec's, or the operation's.
	options v1alpha1.SyncOptions
}

// target checks the spec: its project, the project's permission for its
// sources and destination, and the cluster.
func (r *Reconciler) target(ctx context.Context, app *v1alpha1.Application) (*target, error) {
	project, err := r.Projects.Project(ctx, app.Spec.GetProject())
	if err != nil {
		return nil, err
	}
	if len(app.Spec.GetSources()) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "cannot use the spec: it has no source").Do("set spec.source or spec.sources")
	}
	if err := complete(app.Spec.GetSources()); err != nil {
		return nil, err
	}
	cluster, err := r.Fleet.Resolve(app.Spec.Destination)
	if err != nil {
		return nil, err
	}
	t := &target{
		app: app, project: project, cluster: cluster, sources: app.Spec.GetSources(),
		options:  app.Spec.SyncPolicy.Options(),
		tracking: gitops.TrackingName(app.Namespace, app.Name, r.Namespace),
	}
	if t.scoped, err = r.scoped(ctx, project); err != nil {
		return nil, err
	}
	return t, errors.Join(unverifiable(project), policy.Application(policy.Question{
		Project: project, App: app, Target: t.place(), ControlNamespace: r.Namespace, Clusters: t.scoped,
	}))
}

// complete checks that each source names something to read.
func complete(sources v1alpha1.ApplicationSources) error {
	for i, s := range sources {
		if s.RepoURL == "" || (s.Path == "" && s.Chart == "" && s.Ref == "" && !s.IsOCI()) {
			return gitops.Problemf(gitops.Invalid, "cannot use source %d: it needs repoURL, and one of path, chart and ref", i+1).
				Do("for the root of a repository write path: .")
		}
	}
	return nil
}

// unverifiable refuses a project that wants signatures checked: to deploy
// what nobody has checked would be less than it asks for.
func unverifiable(project *v1alpha1.AppProject) error {
	if len(project.Spec.SignatureKeys) == 0 && project.Spec.SourceIntegrity == nil {
		return nil
	}
	return gitops.Problemf(gitops.Forbidden, "cannot check signatures, which AppProject %q asks for: they are not supported yet", project.Name).
		Do("take spec.signatureKeys and spec.sourceIntegrity out of the project, or use another project")
}

// scoped are the clusters that belong to a project.
func (r *Reconciler) scoped(ctx context.Context, project *v1alpha1.AppProject) ([]gitops.Cluster, error) {
	all, err := r.Fleet.Clusters(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(c gitops.Cluster) bool { return c.Project != project.Name }), nil
}

// place is the destination as the project's rules see it.
func (t *target) place() policy.Target {
	desc := t.cluster.Desc()
	return policy.Target{Server: desc.Server, Name: desc.Name, Namespace: t.app.Spec.Destination.Namespace}
}

// permitted tells why the project forbids one of the objects of a sync, and
// where that object is written.
func (t *target) permitted(p *gitops.Plan) error {
	for action := range actions(p) {
		if action.Verb == gitops.Keep || action.Verb == gitops.Skip {
			continue
		}
		if err := policy.Live(t.project, action.Key, t.place(), t.scoped); err != nil {
			var p *gitops.Problem
			if action.Desired != nil && errors.As(err, &p) {
				return p.At(action.Desired.Origin)
			}
			return err
		}
	}
	return nil
}

// snapshots fetches the sources, in their order.
func (r *Reconciler) snapshots(ctx context.Context, t *target) ([]*gitops.Snapshot, error) {
	snaps := make([]*gitops.Snapshot, len(t.sources))
	for i, s := range t.sources {
		ref := gitops.SourceRef{RepoURL: s.RepoURL, Chart: s.Chart, Revision: s.TargetRevision, Project: t.app.Spec.GetProject(), PassCredentials: s.Helm != nil && s.Helm.PassCredentials}
		snap, err := r.Fetch.Snapshot(ctx, ref)
		if err != nil {
			return nil, err
		}
		snaps[i] = snap
	}
	return snaps, nil
}

func (r *Reconciler) render(ctx context.Context, t *target, snaps []*gitops.Snapshot) (*gitops.Rendering, error) {
	facts, err := t.cluster.Facts(ctx)
	if err != nil {
		return nil, err
	}
	in := render.Input{App: t.withSources(), Snapshots: snaps, Facts: facts, TrackingName: t.tracking}
	if r.Settings != nil {
		in.Settings = r.Settings()
	}
	rendering, err := r.Render.Application(ctx, in)
	if r.Rendered != nil {
		r.Rendered(client.ObjectKeyFromObject(t.app))
	}
	return rendering, err
}

// withSources is the application as it is rendered: an operation may name
// sources of its own.
func (t *target) withSources() *v1alpha1.Application {
	if op := requested(t.app); op == nil || op.Sync == nil || (op.Sync.Source == nil && op.Sync.Sources == nil) {
		return t.app
	}
	app := t.app.DeepCopy()
	app.Spec.Source, app.Spec.Sources = nil, nil
	if t.app.Spec.HasMultipleSources() {
		app.Spec.Sources = t.sources
		return app
	}
	app.Spec.Source = &t.sources[0]
	return app
}
