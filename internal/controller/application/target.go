package application

import (
	"context"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Projects looks up AppProjects of the control namespace.
type Projects = compare.Projects

// Fleet finds the cluster of a destination.
type Fleet interface {
	compare.Fleet[Cluster]

	// Unheed forgets what an application depends on, and Forget all that it
	// waits for, on all clusters.
	Unheed(tracking string)
	Forget(tracking string)
}

// Cluster is one member of the fleet with its caches.
type Cluster interface {
	apply.Cluster
	compare.Cluster
	compare.Strayer

	// Redial has a cluster that does not answer asked at once.
	Redial()
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

// subject is what is compared.
type subject = compare.Subject[Cluster]

// target is an application with everything that its spec names.
type target struct {
	subject

	// writer is the cluster as the user that the project has syncs act as;
	// refusal is why there is none.
	writer  writer
	refusal error
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
	if err := compare.Complete(app.Spec.GetSources()); err != nil {
		return nil, err
	}
	admitted, err := r.comparer().Admit(project, app)
	if err != nil {
		return nil, err
	}
	t := &target{subject: *admitted}
	t.writer, t.refusal = r.writer(&t.subject, writer{})
	if err := r.returning(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
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
	return where{Project: t.Project.Name, Server: t.Cluster.Desc().Server, Namespace: t.App.Spec.Destination.Namespace}
}

// snapshots fetches the sources, in their order.
func (r *Reconciler) snapshots(ctx context.Context, t *target) ([]*gitops.Snapshot, error) {
	if t.brought != nil {
		return nil, nil // Git need not answer
	}
	return r.comparer().Snapshots(ctx, &t.subject)
}

func (r *Reconciler) render(ctx context.Context, t *target, snaps []*gitops.Snapshot) (*gitops.Rendering, error) {
	if t.brought != nil {
		return t.brought.rendering, nil
	}
	return r.comparer().Render(ctx, &t.subject, snaps)
}

// comparer compares as the installation asks for it now.
func (r *Reconciler) comparer() *compare.Comparer[Cluster] {
	return &compare.Comparer[Cluster]{
		Namespace: r.Namespace, Projects: r.Projects, Fleet: r.Fleet, Apps: r.Apps, Sources: r.Fetch, Signatures: r.Fetch, Renderer: r.Render, Memo: r.Memo,
		Settings: r.Settings, Comparing: r.Comparing, Tracking: r.Tracking, Rendered: r.Rendered,
	}
}
