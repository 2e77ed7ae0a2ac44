package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// frozen returns an action whose desired object says nothing of the live
// deviations that are kept. Their owners are others, so they stay as they are;
// to write their values would make them ours, and the next change of Git would
// undo them.
func (a *Applier) frozen(ctx context.Context, c Cluster, p paths, action *gitops.Action) (*gitops.Action, error) {
	got, err := a.apply(ctx, c, p, action, dryRun)
	if err != nil {
		return nil, err
	}
	predicted, err := got.object()
	if err != nil {
		return nil, err
	}
	live, err := a.get(ctx, c, p.object)
	if apierrors.IsNotFound(err) {
		return action, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := deviating(ctx, live, predicted, action)
	if err != nil {
		return nil, err
	}
	object := action.Desired.Object.DeepCopy()
	for i := range found {
		if found[i].Policy == gitops.DriftFreeze {
			difference.ForgetPath(object.Object, found[i].Path)
		}
	}
	next := *action
	next.Desired = action.Desired.With(object)
	return &next, nil
}
