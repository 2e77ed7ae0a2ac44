package apply

import (
	"context"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Confirm finds out whether a suspect update would change anything, by a
// server-side dry run. It returns the action as Keep, or as an Update that is
// no longer suspect. Other actions come back as they are. An object that the
// API server would reject counts as different: applying it tells why.
func (a *Applier) Confirm(ctx context.Context, c Cluster, action gitops.Action) (gitops.Action, error) {
	if action.Verb != gitops.Update || !action.Suspect {
		return action, nil
	}
	if action.Options.NoDryRun {
		return a.confirmHere(ctx, c, action, "")
	}
	predicted, err := a.predict(ctx, c, &action)
	switch {
	case err != nil && noDryRun(err):
		return a.confirmHere(ctx, c, action, err.Error())
	case err != nil && changesNothingKnown(err):
		action.Suspect, action.Reason = false, "the API server rejects it: "+err.Error()
		return action, nil
	case err != nil:
		return action, err
	}
	// One request is enough in the ordinary case: when the apply would leave
	// all fields that are ours as they are, it changes nothing.
	if fp := a.options.Convert(c.Server(), predicted).Fingerprint; fp != "" && fp == action.Live.Fingerprint && !ownedByOthers(action.Live, action.Options) {
		return a.keep(c, action, action.Live), nil
	}
	live, predicted, err := a.steady(ctx, c, &action, predicted)
	if err != nil {
		return action, err
	}
	return a.confirmAgainst(ctx, c, action, live, predicted)
}

// changesNothingKnown reports whether the dry run failed for what the object is,
// not for how the cluster is.
func changesNothingKnown(err error) bool {
	return gitops.IsProblem(err, gitops.Invalid, gitops.Forbidden, gitops.NotReady)
}

func (a *Applier) confirmAgainst(ctx context.Context, c Cluster, action gitops.Action, live, predicted *unstructured.Unstructured) (gitops.Action, error) {
	if live == nil {
		action.Verb, action.Suspect, action.Live, action.Reason = gitops.Create, false, nil, "it is not there"
		return action, nil
	}
	deviations, err := deviating(ctx, live, predicted, &action)
	if err != nil {
		return action, gitops.Problemf(gitops.Invalid, "cannot compare %s: %w", action.Key, err).At(action.Desired.Origin)
	}
	now := a.withContent(c, live)
	action.Deviations, action.Untold = difference.Told(deviations)
	switch {
	case len(deviations) > 0 && allFrozen(deviations) && ownedByOthers(now, action.Options):
		// A sync takes the rest over, so that it goes with Git from then on.
		action.Suspect, action.Live, action.Sync, action.Reason = false, now, gitops.Synced, gitops.TakenOver
		return action, nil
	case len(deviations) > 0 && allFrozen(deviations):
		action.Verb, action.Suspect, action.Live, action.Sync, action.Reason = gitops.Keep, false, now, gitops.Synced, "what others changed is frozen"
		return action, nil
	case len(deviations) > 0:
		action.Suspect, action.Live, action.Reason, action.Unheeded = false, now, "it differs from the sources", unheeded(ctx, live, &action)
		return action, nil
	case a.lane(c.Server()).treatments.get(action.Digest).merge:
		// It cannot be ours by server-side apply.
		a.rememberContent(c, &action, now)
		return kept(action, now), nil
	}
	wanted, err := difference.Applied(predicted, gitops.FieldManager)
	if err != nil {
		return action, err
	}
	others, err := lacks(ctx, live, wanted, &action)
	if err != nil {
		return action, err
	}
	if others || ownedByOthers(now, action.Options) || now.Fingerprint == "" {
		// Equal, but not all of its fields are ours. A sync takes them over;
		// until then it is in sync for as long as its content stays.
		a.rememberContent(c, &action, now)
		action.Suspect, action.Live, action.Sync, action.Reason = false, now, gitops.Synced, gitops.TakenOver
		return action, nil
	}
	now.Content = "" // its fingerprint tells enough
	return a.keep(c, action, now), nil
}

// Predict returns the live object, nil when there is none, and what an apply
// would make of it. When the cluster cannot tell yet, because the namespace or
// the kind is not there, that is the desired object itself.
func (a *Applier) Predict(ctx context.Context, c Cluster, action gitops.Action) (live, predicted *unstructured.Unstructured, err error) {
	if action.Desired == nil {
		live, err = a.read(ctx, c, &action)
		return live, nil, err
	}
	predicted, err = a.predict(ctx, c, &action)
	if err != nil {
		if action.Live != nil || !gitops.IsProblem(err, gitops.NotReady, gitops.NotFound) {
			return nil, nil, err
		}
		return nil, action.Desired.Object.DeepCopy(), nil
	}
	return a.steady(ctx, c, &action, predicted)
}

// steadyTries bounds how often a live object is followed that others write to.
const steadyTries = 4

// steady reads the live object that a prediction was made from. Where somebody
// wrote in between, it predicts again: what others change is no difference.
func (a *Applier) steady(ctx context.Context, c Cluster, action *gitops.Action, predicted *unstructured.Unstructured) (live, _ *unstructured.Unstructured, err error) {
	for try := 1; ; try++ {
		live, err = a.read(ctx, c, action)
		if err != nil || live == nil || try == steadyTries || live.GetResourceVersion() == predicted.GetResourceVersion() {
			return live, predicted, err
		}
		if predicted, err = a.predict(ctx, c, action); err != nil {
			return nil, nil, err
		}
	}
}

// predict is the dry run of an action's apply.
func (a *Applier) predict(ctx context.Context, c Cluster, action *gitops.Action) (*unstructured.Unstructured, error) {
	var predicted *unstructured.Unstructured
	err := a.mapped(ctx, c, kindOf(action), action.Key, func(p paths) (err error) {
		predicted, err = a.foresee(ctx, c, p, action)
		return err
	})
	if err != nil {
		return nil, problem("compare", action, c, err)
	}
	return predicted, nil
}

// read returns the live object, nil when there is none.
func (a *Applier) read(ctx context.Context, c Cluster, action *gitops.Action) (*unstructured.Unstructured, error) {
	var live *unstructured.Unstructured
	err := a.mapped(ctx, c, kindOf(action), action.Key, func(p paths) (err error) {
		live, err = a.get(ctx, c, p.object)
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, problem("read", action, c, err)
}

// deviating tells where an object differs: not in its book-keeping, not in its
// status unless that counts, and not in what is to be ignored.
func deviating(ctx context.Context, live, predicted *unstructured.Unstructured, action *gitops.Action) ([]difference.Deviation, error) {
	content := difference.Content
	if action.Ignore.CountStatus {
		content = difference.Whole
	}
	a, b := content(live.Object), content(predicted.Object)
	if reflect.DeepEqual(a, b) {
		return nil, nil
	}
	var err error
	if a, err = forget(ctx, a, live, action.Ignore); err != nil {
		return nil, err
	}
	if b, err = forget(ctx, b, live, action.Ignore); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(a, b) {
		return nil, nil
	}
	// The owners are told by live's own entries.
	before := &unstructured.Unstructured{Object: a}
	before.SetManagedFields(live.GetManagedFields())
	found, err := difference.Deviations(before, &unstructured.Unstructured{Object: b}, gitops.FieldManager, action.Drift)
	if err == nil && len(found) == 0 {
		// They differ in what no field tells, such as the order of a list with keys.
		found = []difference.Deviation{{}}
	}
	return found, err
}

func allFrozen(list []difference.Deviation) bool {
	for i := range list {
		if list[i].Policy != gitops.DriftFreeze {
			return false
		}
	}
	return true
}
