package application

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// pausing tells why nothing is done to an Application: the Secret of its
// cluster says that the cluster is to be left alone. Empty when it is not.
func (r *Reconciler) pausing(ctx context.Context, app *v1alpha1.Application) string {
	cluster, err := r.Fleet.Resolve(app.Spec.Destination)
	if err != nil {
		return "" // told as it always is
	}
	why := gitops.PausedBy(cluster.Desc())
	if why == "" || !r.near(ctx, app, cluster) {
		return ""
	}
	return why
}

// near reports whether the project of an Application permits something on a
// cluster: who may not deploy there is told nothing of it.
func (r *Reconciler) near(ctx context.Context, app *v1alpha1.Application, cluster state.Cluster) bool {
	project, err := r.Projects.Project(ctx, app.Spec.GetProject())
	return err == nil && policy.Namespace(project, app.Namespace, r.Namespace) == nil &&
		policy.Reaches(project, compare.PlaceOf(cluster, app), r.Fleet.OfProject(project.Name)) == nil
}

// rest leaves an Application as it is. What was asked for stays asked for.
func (r *Reconciler) rest(out *report.Outcome, app *v1alpha1.Application, found state.AsRead) (reconcile.Result, error) {
	r.claims.Own(app, found)
	res, err := out.EndUnchanged()
	if err != nil {
		r.pending.Keep(out.Before(), app)
	}
	return res, err
}

// resume goes on with the status as it was last. It returns the operation that
// it has, and whether the cluster is paused: the condition says so.
func (r *Reconciler) resume(ctx context.Context, out *report.Outcome, app *v1alpha1.Application) (found state.AsRead, paused bool) {
	pending := r.pending.Resume(app)
	if pending == nil {
		opstate.Renew(app, r.Now())
	}
	found = r.claims.Disown(ctx, out, app)
	found.Pending = pending
	why := r.pausing(ctx, app)
	var now []v1alpha1.ApplicationCondition
	if why != "" {
		now = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionClusterPausedWarning, Message: why}}
	}
	report.SetConditions(app, []string{v1alpha1.ApplicationConditionClusterPausedWarning}, now, r.Now())
	return found, why != ""
}

// rests reports whether an Application is left alone, by its own annotation or that
// of its cluster: whoever waits for it takes it as it is.
func (r *Reconciler) rests(ctx context.Context, name types.NamespacedName, annotations map[string]string) bool {
	if v1alpha1.SkipsReconcile(annotations) || r.Apps == nil {
		return v1alpha1.SkipsReconcile(annotations)
	}
	app, err := r.Apps.Get(ctx, name)
	return err == nil && r.pausing(ctx, app) != ""
}
