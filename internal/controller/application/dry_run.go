package application

import (
	"context"
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// rehearse carries out an operation that is a dry run: the API server is asked
// what it would make of each object, and nothing changes.
func (r *Reconciler) rehearse(ctx context.Context, out *report.Outcome, t *state.Target, a *state.Attempt) error {
	count := 0
	for range a.Plan.All() {
		count++
	}
	list := make(v1alpha1.ResourceResults, count)
	var g crew.Group
	g.SetLimit(state.ConfirmsInFlight)
	next := 0
	for action, wave := range a.Plan.All() {
		i := next
		next++
		g.Go(func() error {
			list[i] = r.rehearsal(ctx, t, action, wave)
			return nil
		})
	}
	_ = g.Wait() // what goes wrong is in the results
	if err := ctx.Err(); err != nil {
		return err
	}
	slices.SortStableFunc(list, opstate.ByKind)
	t.App.Status.OperationState.SyncResult.Resources = list
	rejected := 0
	for i := range list {
		if list[i].Status == v1alpha1.ResultCodeSyncFailed {
			rejected++
		}
	}
	if rejected > 0 {
		r.finish(out, t, v1alpha1.OperationFailed, fmt.Sprintf("%d of %d objects would be rejected (dry run, nothing was changed)", rejected, count))
		return nil
	}
	r.finish(out, t, v1alpha1.OperationSucceeded, "successfully tried (dry run, nothing was changed)")
	return nil
}

// goesBy tells of a deletion that is no prune what becomes of the object.
func goesBy(a *gitops.Action) string {
	if a.Hook {
		return "the object that is there becomes a hook, and is deleted"
	}
	return "deleted and created again"
}

// rehearsal tells what would become of one object.
func (r *Reconciler) rehearsal(ctx context.Context, t *state.Target, a *gitops.Action, w *gitops.Wave) v1alpha1.ResourceResult {
	would := gitops.Result{Key: a.Key, Version: opstate.Version(a), Verb: a.Verb, Phase: w.Phase, Wave: w.Number, Hook: a.Hook, Status: string(v1alpha1.ResultCodeSynced)}
	if err := crew.Safely(func() error { return r.foretell(ctx, t, a, &would) }); err != nil {
		would.Status, would.Message, would.Err = string(v1alpha1.ResultCodeSyncFailed), err.Error(), err
	}
	if a.Disowned && would.Err == nil {
		would.Message += "; it is deleted then, as its owners are not there or go"
	}
	return opstate.Result(&would)
}

// foretell fills in what would become of one object. The error is why it would not be as desired.
func (r *Reconciler) foretell(ctx context.Context, t *state.Target, a *gitops.Action, would *gitops.Result) error {
	switch a.Verb {
	case gitops.Keep:
		would.Message = "unchanged (dry run)"
	case gitops.Skip:
		would.Message = a.Reason
		if a.Desired == nil {
			would.Status = string(v1alpha1.ResultCodePruneSkipped)
		}
	case gitops.Prune:
		would.Status, would.Message = string(v1alpha1.ResultCodePruned), "pruned (dry run)"
	case gitops.Create, gitops.Update:
		would.Message = string(a.Verb) + "d (dry run)"
		if a.Goes && !a.Remains {
			would.Message = goesBy(a) + " (dry run)"
			break // it is no change of what is there
		}
		_, _, err := r.Apply.Predict(ctx, t.Writer, *a)
		return err
	}
	return nil
}
