package application

import (
	"context"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

// letGo takes the finalizer from the hooks that are done. What fails is tried
// again with the next look at the sync.
func (r *Reconciler) letGo(ctx context.Context, t *state.Target, progress *plan.Progress) {
	held := progress.Held()
	if len(held) == 0 {
		return
	}
	t = r.targetNow(ctx, t)
	for _, hook := range held {
		if !t.Sees(hook.Key) {
			continue
		}
		live, err := r.unhold(ctx, t, hook.Live)
		if err != nil {
			r.Log.WarnContext(ctx, "hook keeps its finalizer", "cluster", t.Cluster.Desc().Server, "object", hook.Key.String(), "error", err)
			continue
		}
		if live == nil {
			live = withoutFinalizer(hook.Live)
		} else {
			t.Cluster.Put(live)
		}
		progress.Released(hook, live)
	}
}

// unhold takes the finalizer from a hook; nil when the hook is gone.
func (r *Reconciler) unhold(ctx context.Context, t *state.Target, hook *gitops.Live) (*gitops.Live, error) {
	if t.Refusal != nil {
		return nil, t.Refusal
	}
	return r.Apply.Release(ctx, t.Writer, hook, gitops.FinalizerHook)
}

// withoutFinalizer is a hook that has gone with its finalizer, as it was last seen.
func withoutFinalizer(l *gitops.Live) *gitops.Live {
	last := *l
	last.Finalizers = slices.DeleteFunc(slices.Clone(l.Finalizers), func(f string) bool { return f == gitops.FinalizerHook })
	return &last
}

// textTerminated is the message of an operation that was ended before its time.
const textTerminated = "Operation terminated"

// terminate ends an operation before its time: hooks that run are deleted,
// what was applied stays.
func (r *Reconciler) terminate(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) {
	st := t.App.Status.OperationState
	phase, text := v1alpha1.OperationFailed, textTerminated
	if st.SyncResult != nil {
		for i := range st.SyncResult.Resources {
			s := &st.SyncResult.Resources[i]
			if !s.HookRuns() {
				continue
			}
			s.HookPhase, s.Message = v1alpha1.OperationFailed, "Terminated"
			if err := r.discard(ctx, t, hookOf(c, s)); err != nil {
				phase, text = v1alpha1.OperationError, textTerminated+"; a hook was not deleted: "+err.Error()
				s.Message = err.Error()
			}
		}
	}
	r.finish(out, t, phase, text)
}

// discard deletes a hook whether or not it is done.
func (r *Reconciler) discard(ctx context.Context, t *state.Target, live *gitops.Live) error {
	// Who may write the Application may write the record: it names no other object,
	// and none that the project does not permit.
	if live == nil || !plan.MadeAsHook(live, t.Tracking) {
		return nil
	}
	t = r.targetNow(ctx, t)
	if !t.Sees(live.Key) {
		return nil
	}
	if t.Refusal != nil {
		return t.Refusal
	}
	action := gitops.Action{Verb: gitops.Prune, Key: live.Key, Live: live, Hook: true, Options: plan.DefaultOptions(), Reason: "the operation was terminated"}
	outcome := r.Apply.Wave(ctx, t.Writer, gitops.Wave{Phase: gitops.SyncFail, Actions: []gitops.Action{action}})
	r.tellSynced(t, whyTerminated, outcome)
	return outcome[0].Err
}

// hookOf is the live object of a result.
func hookOf(c *state.Comparison, s *v1alpha1.ResourceResult) *gitops.Live {
	for key, live := range c.Live {
		if opstate.Names(s, key) {
			return live
		}
	}
	return nil
}
