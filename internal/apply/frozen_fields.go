package apply

import (
	"context"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// foresee is the dry run of an action's apply. What is frozen may be what the
// API server refuses to go back on, such as the size of a volume that has
// grown: it is told from the live object then what an apply would change.
func (a *Applier) foresee(ctx context.Context, c Cluster, p paths, action *gitops.Action) (*unstructured.Unstructured, error) {
	got, err := a.apply(ctx, c, p, action, dryRun)
	if err == nil {
		return got.object()
	}
	if !action.Drift.Freezes() || noDryRun(err) || !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) {
		return nil, err
	}
	live, readErr := a.get(ctx, c, p.object)
	if readErr != nil {
		return nil, err
	}
	predicted, foretellErr := difference.Foretell(ctx, action.Desired.Object, live, gitops.FieldManager)
	if foretellErr != nil || reflect.DeepEqual(difference.Content(live.Object), difference.Content(predicted.Object)) {
		return nil, err // it is not for what differs that it is refused
	}
	return predicted, nil
}

// frozen returns an action whose desired object says nothing of the live
// deviations that are kept, and their paths. Their owners are others, so they
// stay as they are; to write their values would make them ours, and the next
// change of Git would undo them.
func (a *Applier) frozen(ctx context.Context, c Cluster, p paths, action *gitops.Action) (*gitops.Action, *fieldpath.Set, error) {
	kept := fieldpath.NewSet()
	predicted, err := a.foresee(ctx, c, p, action)
	if err != nil {
		return nil, kept, err
	}
	live, err := a.get(ctx, c, p.object)
	if apierrors.IsNotFound(err) {
		return action, kept, nil
	}
	if err != nil {
		return nil, kept, err
	}
	found, err := deviating(ctx, live, predicted, action)
	if err != nil {
		return nil, kept, err
	}
	object := action.Desired.Object.DeepCopy()
	for i := range found {
		if found[i].Policy == gitops.DriftFreeze {
			kept.Insert(found[i].Path)
		}
	}
	difference.ForgetSet(object.Object, kept)
	next := *action
	next.Desired = action.Desired.With(object)
	return &next, kept, nil
}

// freezes reports whether something of the action's live object may be kept.
func freezes(action *gitops.Action) bool { return action.Drift.Freezes() && !action.Options.Replace }
