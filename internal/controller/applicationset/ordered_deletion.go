package applicationset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/report"
)

// secure gives a set whose Applications are to go in steps the finalizer that
// makes its deletion wait for them.
func (r *Reconciler) secure(ctx context.Context, set *v1alpha1.ApplicationSet) error {
	if !rollout.Reversed(set) || slices.Contains(set.Finalizers, v1alpha1.FinalizerResources) {
		return nil
	}
	err := r.refinalize(ctx, set, append(slices.Clone(set.Finalizers), v1alpha1.FinalizerResources))
	if err != nil {
		return fmt.Errorf("cannot add the finalizer for deletionOrder Reverse: %w", err)
	}
	return nil
}

// dismantle deletes the Applications of a deleted set, where deletionOrder is
// Reverse: those of the last step first, and each step when the one after it
// has gone. The rest, and all of any other set, is the garbage collector's,
// by the owner reference.
func (r *Reconciler) dismantle(ctx context.Context, set *v1alpha1.ApplicationSet) error {
	if !slices.Contains(set.Finalizers, v1alpha1.FinalizerResources) {
		return nil
	}
	if rollout.Reversed(set) && set.Spec.GetApplicationsSync().AllowDelete() {
		if left, err := r.backwards(ctx, set); err != nil || left {
			return err
		}
	}
	r.Rollouts.forget(client.ObjectKeyFromObject(set))
	rest := slices.DeleteFunc(slices.Clone(set.Finalizers), func(f string) bool { return f == v1alpha1.FinalizerResources })
	if err := r.refinalize(ctx, set, rest); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot let applicationset %s go: %w", set.Name, err)
	}
	return nil
}

func (r *Reconciler) refinalize(ctx context.Context, set *v1alpha1.ApplicationSet, finalizers []string) error {
	to := set.DeepCopy()
	to.Finalizers = finalizers
	return r.Client.Patch(ctx, to, client.MergeFromWithOptions(set.DeepCopy(), client.MergeFromWithOptimisticLock{}))
}

// backwards deletes the last step that has Applications left.
func (r *Reconciler) backwards(ctx context.Context, set *v1alpha1.ApplicationSet) (left bool, err error) {
	owned, err := r.owned(ctx, set)
	if err != nil {
		return true, err
	}
	byName, labels := map[string]*v1alpha1.Application{}, map[string]map[string]string{}
	for i := range owned {
		byName[owned[i].Name], labels[owned[i].Name] = &owned[i], owned[i].Labels
	}
	names, step := rollout.Backwards(set.Spec.Strategy.RollingSync.Steps, labels)
	if len(names) == 0 {
		return false, nil
	}
	var errs []error
	for _, name := range names {
		if byName[name].DeletionTimestamp.IsZero() {
			errs = append(errs, r.remove(ctx, byName[name]))
		}
	}
	errs = append(errs, r.showDismantling(ctx, set, step, names))
	return true, errors.Join(errs...)
}

// reasonDeleting is the reason of the condition while a set goes in steps.
const reasonDeleting = "DeletingInSteps"

func (r *Reconciler) showDismantling(ctx context.Context, set *v1alpha1.ApplicationSet, step int, names []string) error {
	to := set.DeepCopy()
	report.SetSetCondition(to, v1alpha1.ApplicationSetConditionRolloutProgressing, v1alpha1.ApplicationSetConditionStatusTrue, reasonDeleting,
		fmt.Sprintf("Step %d is being deleted: it waits for %s", step, some(names)), r.Now())
	if equality.Semantic.DeepEqual(set.Status, to.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.Client.Status().Patch(ctx, to, report.StatusFrom(set)))
}
