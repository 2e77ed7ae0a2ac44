package apply

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// noDryRun reports whether the API server would take the object perhaps, but tries
// nothing: a webhook with side effects takes no dry run, or the account may
// read and not write.
func noDryRun(err error) bool {
	text := err.Error()
	return strings.Contains(text, "does not support dry run") || strings.Contains(text, "cannot patch resource")
}

// confirmHere settles a suspect update without the API server: by field
// ownership where the kind has a schema and we own fields, by a three-way
// merge elsewhere. why tells what the API server refused.
func (a *Applier) confirmHere(ctx context.Context, c Cluster, action gitops.Action, why string) (gitops.Action, error) {
	live, err := a.read(ctx, c, &action)
	if err != nil {
		return action, err
	}
	if live == nil {
		action.Verb, action.Suspect, action.Live, action.Reason = gitops.Create, false, nil, "it is not there"
		return action, nil
	}
	result, err := compared(ctx, &action, live)
	if err != nil {
		return action, err
	}
	if !result.Modified {
		return a.equalHere(ctx, c, action, live)
	}
	action.Suspect, action.Live, action.Reason = false, a.withContent(c, live), "it differs from the sources"
	if why != "" {
		action.Reason += ", as far as can be told without a dry run: " + why
	}
	return action, nil
}

// equalHere settles an object that is as desired. Where it cannot be told which
// fields an apply would make ours, its content counts.
func (a *Applier) equalHere(ctx context.Context, c Cluster, action gitops.Action, live *unstructured.Unstructured) (gitops.Action, error) {
	wanted, err := difference.Written(action.Desired.Object, live)
	others := err != nil
	if !others {
		if others, err = lacks(ctx, live, wanted, &action); err != nil {
			return action, err
		}
	}
	if !others {
		return a.keep(c, action, a.options.Convert(c.Server(), live)), nil
	}
	now := a.withContent(c, live)
	a.rememberContent(c, &action, now)
	return kept(action, now), nil
}

// compared settles without the API server what an apply would change.
func compared(ctx context.Context, action *gitops.Action, live *unstructured.Unstructured) (difference.Result, error) {
	rules, err := difference.Only(ctx, action.Ignore)
	if err != nil {
		return difference.Result{}, gitops.Problemf(gitops.Invalid, "cannot compare %s: %w", action.Key, err).At(action.Desired.Origin)
	}
	in := difference.Input{Desired: action.Desired.Object, Live: live, Rules: rules, Manager: gitops.FieldManager}
	in.ServerSide = action.Live != nil && action.Live.Fingerprint != "" && !action.Live.Foreign
	result, err := difference.Of(ctx, in)
	if err != nil && in.ServerSide {
		in.ServerSide = false
		result, err = difference.Of(ctx, in)
	}
	if ctx.Err() != nil {
		return difference.Result{}, ctx.Err()
	}
	if err != nil {
		return difference.Result{}, gitops.Problemf(gitops.Invalid, "cannot compare %s: %w", action.Key, err).At(action.Desired.Origin)
	}
	return result, nil
}

// PredictHere is Predict for who may read and not write: it tries nothing at
// the API server, so defaults and webhooks are not known. It sees also what
// an apply takes away once the fields of other managers are ours, which no dry
// run tells. Both sides are nil when nothing would change.
func (a *Applier) PredictHere(ctx context.Context, c Cluster, action gitops.Action) (live, predicted *unstructured.Unstructured, err error) {
	live, err = a.read(ctx, c, &action)
	if err != nil || action.Desired == nil {
		return live, nil, err
	}
	if live == nil {
		return nil, action.Desired.Object.DeepCopy(), nil
	}
	result, err := compared(ctx, &action, live)
	if err != nil || !result.Modified {
		return nil, nil, err
	}
	return &unstructured.Unstructured{Object: result.Live}, &unstructured.Unstructured{Object: result.Predicted}, nil
}

// NoDryRun reports whether an error of Predict is about the dry run alone: what
// would change can still be told by PredictHere.
func NoDryRun(err error) bool { return err != nil && noDryRun(err) }
