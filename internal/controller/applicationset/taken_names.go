package applicationset

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// takenError is why an Application of the name that a set makes is left to
// others.
type takenError struct {
	name string
	err  error
	// bare is the error without what may come from clusters.
	bare string
}

func (e *takenError) Error() string { return e.err.Error() }
func (e *takenError) Unwrap() error { return e.err }

// adopt takes over an Application of the same name that nobody owns, where it
// may; see stranger. What was judged is what is written: a change in between is
// looked at first.
func (r *Reconciler) adopt(ctx context.Context, set *v1alpha1.ApplicationSet, app *v1alpha1.Application) error {
	live := &v1alpha1.Application{}
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(app), live); err != nil {
		return client.IgnoreNotFound(err)
	}
	if owner := Owner(live); owner != nil && owner[0] == set.Name {
		return nil // the cache is behind our own create; its event comes
	}
	if err := stranger(live, app); err != nil {
		return err
	}
	err := r.Client.Patch(ctx, owning(live, app), client.MergeFromWithOptions(live, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return &unwritten{"take over", app.Name, true, err}
	}
	return nil
}

// owning is a live Application as a set has it that takes it over.
func owning(live, app *v1alpha1.Application) *v1alpha1.Application {
	to := live.DeepCopy()
	to.Spec, to.Labels, to.Annotations, to.Finalizers = app.Spec, app.Labels, app.Annotations, app.Finalizers
	to.OwnerReferences = app.OwnerReferences
	return to
}

// stranger tells why a set does not take over a live Application in place of
// the one that it makes: names of generated Applications may come out of a
// repository, and who writes that gets nothing of another project by them.
func stranger(live, made *v1alpha1.Application) error {
	taken := func(p *gitops.Problem, bare string) error { return &takenError{made.Name, p, bare} }
	if owner := metav1.GetControllerOf(live); owner != nil {
		return taken(gitops.Problemf(gitops.Forbidden, "cannot create application %s: %s %s owns one of that name", made.Name, owner.Kind, owner.Name).
			Do("rename one of the two"), "another owner has one of that name; rename one of the two")
	}
	if !live.DeletionTimestamp.IsZero() {
		return taken(gitops.Problemf(gitops.NotReady, "cannot create application %s: one of that name is being deleted", made.Name).
			Do("wait until it is gone"), "one of that name is being deleted; wait until it is gone")
	}
	if live.Outlined != "" {
		return taken(gitops.Problemf(gitops.Invalid, "cannot create application %s: there is one of that name: %s", made.Name, live.Outlined),
			"there is one of that name, and it is too large")
	}
	if has, makes := live.Spec.GetProject(), made.Spec.GetProject(); has != makes {
		return taken(gitops.Problemf(gitops.Forbidden, "cannot create application %s: there is one of that name, of project %q, which no set owns, and this set makes it of project %q", made.Name, has, makes).
			Do("rename one of the two, or let the set take it over by setting its spec.project to "+makes),
			"there is one of that name, of another project, which no set owns; rename one of the two, or let the set take it over by setting its spec.project")
	}
	return nil
}

// staysIn tells why an Application does not become another project's yet: a sync that
// runs was asked for in its own, and would go on with what that asked for. Who may write
// Applications of one project may also write that a set owns them.
func staysIn(from, to *v1alpha1.Application) error {
	has, makes := from.Spec.GetProject(), to.Spec.GetProject()
	if has == makes || !from.Status.OperationState.Runs() {
		return nil
	}
	p := gitops.Problemf(gitops.NotReady, "cannot move application %s from project %q to %q: a sync of it runs", to.Name, has, makes).
		Do("wait until it has ended, or end it")
	return &takenError{to.Name, p, "one of that name is of another project, and a sync of it runs; wait until it has ended, or end it"}
}
