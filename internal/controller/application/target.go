package application

import (
	"context"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Projects looks up AppProjects of the control namespace.
type Projects interface {
	Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
}

// Fleet finds the cluster of a destination.
type Fleet interface {
	Resolve(dest v1alpha1.ApplicationDestination) (Cluster, error)
	// Meant are the clusters that a destination may mean, also those that cannot
	// be used.
	Meant(dest v1alpha1.ApplicationDestination) []gitops.Cluster
	// OfProject lists the clusters that belong to a project, OfNobody those that
	// belong to none.
	OfProject(project string) []gitops.Cluster
	OfNobody() []gitops.Cluster
	// Unheed forgets what an application depends on, and Forget all that it
	// waits for, on all clusters.
	Unheed(tracking string)
	Forget(tracking string)
}

// Cluster is one member of the fleet with its caches.
type Cluster interface {
	apply.Cluster
	Strayer

	Desc() gitops.Cluster
	Facts(ctx context.Context) (gitops.Facts, error)
	// Redial has a cluster that does not answer asked at once.
	Redial()
	Scope() gitops.Scope
	// Live returns the desired objects that exist and all that carry the
	// tracking name, after watching their kinds.
	Live(ctx context.Context, tracking string, kinds []schema.GroupVersionKind, keys []gitops.Key) (map[gitops.Key]*gitops.Live, error)
	// Get reads a whole object.
	Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)
	// Find asks the cluster itself for an object that Live does not have; nil
	// when it is not there.
	Find(ctx context.Context, gvk schema.GroupVersionKind, key gitops.Key) (*gitops.Live, error)
	// Follow has each change of an object's content told from now on: its
	// fingerprint alone does not tell whether it is as desired.
	Follow(live *gitops.Live)
	// As returns the cluster for writing as a user.
	As(user string) (apply.Cluster, error)
	// Inside counts the objects in a namespace, as far as they are watched, and
	// Instances those of a definition.
	Inside(namespace string, counts func(gitops.Key) bool) int
	Instances(ctx context.Context, definition string) int
	// Heed has each change of an object told until Fleet.Unheed, or of all
	// objects of its kind, and returns the version that the kind is served in. Permits is
	// asked before anything is watched.
	Heed(ctx context.Context, tracking string, gk schema.GroupKind, namespace, name string, permits func(namespaced bool) error) (gvk schema.GroupVersionKind, namespaced bool, err error)
	// Judge hands whole objects to take, which keeps nothing of them: the one of a
	// name, or all of a namespace, or everywhere. What that takes is the project's.
	Judge(ctx context.Context, project string, gvk schema.GroupVersionKind, namespace, name string, take func(*unstructured.Unstructured)) error
	// Put takes the outcome of an apply before its watch event comes.
	Put(live *gitops.Live)
}

// target is an application with everything that its spec names.
type target struct {
	app     *v1alpha1.Application
	project *v1alpha1.AppProject
	cluster Cluster
	// writer is the cluster as the user that the project has syncs act as;
	// refusal is why there is none.
	writer   apply.Cluster
	refusal  error
	tracking string
	// scoped are the clusters that belong to the project.
	scoped []gitops.Cluster
	// sources are the spec's, or those of an operation that names its own.
	sources v1alpha1.ApplicationSources
	// options are the sync options: the spec's, or the operation's.
	options v1alpha1.SyncOptions
	// commits have one entry a source; nil where it has none.
	commits []*gitops.Commit
	// revisions have one entry a source, as far as they were fetched.
	revisions []string
	// passes are when the stages before the first change ended.
	passes history.Passes
	// brought is what the operation brings instead of what the sources say;
	// nil when it brings nothing.
	brought *brought
	// unfit is why the manifests that the operation brings cannot be used.
	unfit error
	// lost tells of objects that the operation names and the application has not.
	lost []string
	// asked tells that somebody asked for this look.
	asked bool
	// found is the operation as it was read.
	found asRead
	// waveTime is the time that each wave of an atomic sync has; zero: it is not atomic.
	waveTime time.Duration
}

// target checks the spec: its project, the project's permission for its
// sources and destination, and the cluster. The error is slots.ErrNoRoom where the
// manifests that an operation brings find no room, or those that found none before.
func (r *Reconciler) target(ctx context.Context, app *v1alpha1.Application) (*target, error) {
	if err := slots.Fits(ctx); err != nil {
		return nil, err // for what was lacking before: nothing is asked for, refreshed or read meanwhile
	}
	project, err := r.Projects.Project(ctx, app.Spec.GetProject())
	if err != nil {
		return nil, err
	}
	r.doubt(project, app)
	if len(app.Spec.GetSources()) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "cannot use the spec: it has no source").Do("set spec.source or spec.sources")
	}
	if err := complete(app.Spec.GetSources()); err != nil {
		return nil, err
	}
	if err := policy.Origins(policy.Question{Project: project, App: app, ControlNamespace: r.Namespace}); err != nil {
		return nil, err
	}
	cluster, err := r.destination(project, app)
	if err != nil {
		return nil, r.hinted(err, project, app)
	}
	t := &target{
		app: app, project: project, cluster: cluster, sources: app.Spec.GetSources(),
		options:  app.Spec.SyncPolicy.Options(),
		tracking: gitops.TrackingName(app.Namespace, app.Name, r.Namespace),
		scoped:   r.Fleet.OfProject(project.Name),
	}
	t.writer, t.refusal = r.writer(project, cluster, app)
	if err := r.returning(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// destination is the cluster of an application, if its project permits it: who
// writes the application reads the error, so the project is asked first.
func (r *Reconciler) destination(project *v1alpha1.AppProject, app *v1alpha1.Application) (Cluster, error) {
	cluster, meant, unknown := r.resolve(app.Spec.Destination)
	if err := policy.Leads(project, app.Spec.Destination, meant, r.Fleet.OfProject(project.Name)); err != nil {
		return nil, err
	}
	return cluster, unknown
}

// resolve finds the cluster of a destination, and all that it may mean.
func (r *Reconciler) resolve(d v1alpha1.ApplicationDestination) (found Cluster, meant []gitops.Cluster, unknown error) {
	if found, unknown = r.Fleet.Resolve(d); unknown != nil {
		return nil, r.Fleet.Meant(d), unknown
	}
	return found, []gitops.Cluster{found.Desc()}, nil
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

// place is the destination as the project's rules see it.
func (t *target) place() policy.Target { return placeOf(t.cluster, t.app) }

func placeOf(cluster Cluster, app *v1alpha1.Application) policy.Target {
	desc := cluster.Desc()
	return policy.Target{Server: desc.Server, Name: desc.Name, Namespace: app.Spec.Destination.Namespace}
}

// where is a destination, and by whose leave it is one.
type where struct {
	Project   string `json:"project"`
	Server    string `json:"server"`
	Namespace string `json:"namespace"`
}

func (w where) String() string {
	text, _ := json.Marshal(w) //nolint:errchkjson // texts always encode
	return string(text)
}

func (t *target) where() where {
	return where{Project: t.project.Name, Server: t.cluster.Desc().Server, Namespace: t.app.Spec.Destination.Namespace}
}

// snapshots fetches the sources, in their order.
func (r *Reconciler) snapshots(ctx context.Context, t *target) ([]*gitops.Snapshot, error) {
	if t.brought != nil {
		return nil, nil // Git need not answer
	}
	snaps := make([]*gitops.Snapshot, len(t.sources))
	t.commits = make([]*gitops.Commit, len(t.sources))
	revisions := make([]string, len(t.sources))
	for i, s := range t.sources {
		ref := gitops.SourceOf(t.app, &t.sources[i], s.TargetRevision)
		snap, err := r.Fetch.Snapshot(ctx, ref)
		if err != nil {
			return nil, err
		}
		if err := r.signed(ctx, t.project, &t.sources[i], ref, snap.Revision); err != nil {
			return nil, err
		}
		snaps[i], t.commits[i], revisions[i] = snap, snap.Commit, snap.Revision
	}
	t.revisions = revisions
	return snaps, nil
}

// signed checks the signatures that the project asks for.
func (r *Reconciler) signed(ctx context.Context, project *v1alpha1.AppProject, s *v1alpha1.ApplicationSource, ref gitops.SourceRef, revision string) error {
	rule, err := policy.Signatures(project, s)
	if err != nil || rule == nil {
		return err
	}
	return r.Fetch.Verify(ctx, ref, revision, *rule)
}

func (r *Reconciler) render(ctx context.Context, t *target, snaps []*gitops.Snapshot) (*gitops.Rendering, error) {
	if t.brought != nil {
		return t.brought.rendering, nil
	}
	facts, err := t.cluster.Facts(ctx)
	if err != nil {
		return nil, err
	}
	in := render.Input{App: t.withSources(), Snapshots: snaps, Facts: facts, TrackingName: t.tracking}
	if r.Settings != nil {
		in.Settings = r.Settings()
	}
	// What was lacking before is taken first: to render anew is more work.
	if err := slots.Take(ctx, 0); err != nil {
		return nil, err
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
