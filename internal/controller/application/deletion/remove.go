package deletion

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
	"github.com/causeway-gitops/causeway/internal/room"
)

// cleanup is the suffix of the finalizers that stand for hooks which have run
// and whose objects may have to go.
const cleanup = "/cleanup"

// Removal is an Application that is being deleted, with what that takes.
type Removal struct {
	*state.Subject
	// Writer is the cluster as the user who deletes in it.
	Writer   state.Writer
	settings *plan.Settings
}

// outOfReach is why nothing is deleted of an Application that is deleted.
type outOfReach struct{ error }

// step is one part of a deletion, which a finalizer stands for.
type step struct {
	finalizer func(string) bool
	// run tells what it waits for; nil when the step is over.
	run func(context.Context, *Removal) error
}

// steps are the parts of a deletion, in their order.
func (r *Remover) steps() []step {
	hooks := func(phase gitops.Phase) func(context.Context, *Removal) error {
		return func(ctx context.Context, d *Removal) error { return r.runHooks(ctx, d, phase) }
	}
	left := func(phase gitops.Phase) func(context.Context, *Removal) error {
		return func(ctx context.Context, d *Removal) error { return r.CleanHooks(ctx, d, phase) }
	}
	return []step{
		{is(v1alpha1.FinalizerPreDelete), hooks(gitops.PreDelete)},
		{is(v1alpha1.FinalizerPreDelete + cleanup), left(gitops.PreDelete)},
		{isCascade, r.Cascade},
		{is(v1alpha1.FinalizerPostDelete), hooks(gitops.PostDelete)},
		{is(v1alpha1.FinalizerPostDelete + cleanup), left(gitops.PostDelete)},
	}
}

func is(finalizer string) func(string) bool { return func(f string) bool { return f == finalizer } }

func isCascade(f string) bool { return strings.HasPrefix(f, v1alpha1.FinalizerResources) }

// NextStep is how soon a deletion goes on after a step: it is written down
// first that the step is over, so that nothing is done twice.
const NextStep = time.Millisecond

// Remove takes the next step in the deletion of an Application: its PreDelete
// hooks, its objects in descending waves, its PostDelete hooks. Which of
// these are left its finalizers tell; without one the objects stay where they are.
func (r *Remover) Remove(ctx context.Context, out *report.Outcome, app *v1alpha1.Application) error {
	for _, s := range r.steps() {
		if !slices.ContainsFunc(app.Finalizers, s.finalizer) {
			continue
		}
		d, err := r.Admit(ctx, app)
		if why, ok := errors.AsType[outOfReach](err); ok {
			r.Log.WarnContext(ctx, "application deleted without its objects", "app", app.Name, "error", why.error)
			out.Event(corev1.EventTypeWarning, "ObjectsLeft", "Deleted without its objects: "+why.Error())
			r.release(app, nil, ofDeletion)
			return nil
		}
		if err == nil {
			err = s.run(ctx, d)
		}
		if errors.Is(err, room.ErrNoRoom) {
			return err
		}
		if err != nil {
			return r.reportStuck(out, app, err)
		}
		r.release(app, d, s.finalizer)
		out.Again(NextStep)
		return nil
	}
	return nil
}

// ofDeletion matches every finalizer that a deletion works off.
func ofDeletion(f string) bool {
	return isCascade(f) || strings.HasPrefix(f, v1alpha1.FinalizerPreDelete) || strings.HasPrefix(f, v1alpha1.FinalizerPostDelete)
}

// Admit finds the cluster and the project of an Application. Without the
// project nobody knows what the deletion may touch: it waits for one. Its error
// is outOfReach where nobody can say what to delete, as the cluster is not
// described any more (Argo CD does the same), or where the project permits the
// Application nothing there: then no request goes to the cluster, either. Which of
// the two it is, it does not say.
func (r *Remover) Admit(ctx context.Context, app *v1alpha1.Application) (*Removal, error) {
	project, err := r.Projects.Project(ctx, app.Spec.GetProject())
	cluster, meant, unknown := r.Comparer.Resolve(app.Spec.Destination)
	if nowhere(unknown, app) && (err != nil || !isNotFound(unknown)) {
		return nil, outOfReach{unknown}
	}
	if err != nil {
		return nil, err
	}
	d := &Removal{settings: r.Comparing, Subject: &state.Subject{
		App: app, Cluster: cluster, Project: project, Scoped: r.Fleet.OfProject(project.Name),
		Tracking: gitops.TrackingName(app.Namespace, app.Name, r.Namespace),
	}}
	if err := policy.Namespace(project, app.Namespace, r.Namespace); err != nil {
		return nil, outOfReach{err}
	}
	if err := policy.ReachesMeant(project, app.Spec.Destination, meant, d.Scoped); err != nil {
		return nil, outOfReach{err}
	}
	if unknown != nil {
		return nil, unknown
	}
	d.Writer, err = r.Writers.Writer(d.Subject, state.Writer{})
	return d, err
}

// nowhere reports whether a destination leads to no cluster: it names one that is
// not described, none, or one in two ways at once.
func nowhere(err error, app *v1alpha1.Application) bool {
	if isNotFound(err) {
		return true
	}
	d := app.Spec.Destination
	return err != nil && (d.Name == "") == (d.Server == "")
}

func isNotFound(err error) bool {
	return gitops.IsProblem(err, gitops.NotFound)
}

// permits reports whether the project and the settings let the engine touch an object;
// what they do not stays, as in Argo CD.
func (d *Removal) permits(key gitops.Key) bool {
	return !d.settings.LeavesAlone(key.Group, key.Kind, d.Cluster.Desc().Server) && d.Permits(key) == nil
}

// forget drops what is known of the objects of the Application: of others that its
// status names nothing.
func (d *Removal) forget(memo *compare.Memo) {
	for _, s := range d.App.Status.Resources {
		if key := (gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}); d.permits(key) {
			memo.Forget(d.Cluster.Desc().Server, key)
		}
	}
}

// release takes finalizers off the Application. With the last of them goes
// what is kept of it, and of its objects when there was a Removal.
func (r *Remover) release(app *v1alpha1.Application, d *Removal, which func(string) bool) {
	app.Finalizers = slices.DeleteFunc(app.Finalizers, which)
	if slices.ContainsFunc(app.Finalizers, ofDeletion) {
		return
	}
	if d != nil {
		d.forget(r.Memo)
	}
	r.Forget(client.ObjectKeyFromObject(app))
}
