package application

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

// removing reports whether an Application is being deleted.
func removing(app *v1alpha1.Application) bool { return !app.DeletionTimestamp.IsZero() }

// remove takes an Application away with what it has made. An operation that runs
// comes first.
func (r *Reconciler) remove(ctx context.Context, v *visit) error {
	if operation.Busy(v.app) {
		return r.finishFirst(ctx, v)
	}
	if err := r.remover().Remove(ctx, v.out, v.app); err != nil {
		return v.out.Failed(report.Delete, err)
	}
	return nil
}

func (r *Reconciler) remover() *deletion.Remover {
	return &deletion.Remover{
		Namespace: r.Namespace, Apps: r.Apps, Projects: r.Projects, Fleet: r.Fleet, Comparer: r.comparer(), Comparing: r.comparing(),
		Apply: r.Apply, Memo: r.Memo, Hooks: hooksRunner{r}, Writers: writers{r}, Stuck: r.stuck, StuckAfter: r.StuckAfter, Pause: r.DeletionPause,
		Deleted: r.Deleted, Forget: r.forget, Log: r.Log, Now: r.Now,
	}
}

// hooksRunner runs the hooks of a deletion as those of syncs.
type hooksRunner struct{ r *Reconciler }

// Target implements deletion.Hooks.
func (h hooksRunner) Target(ctx context.Context, app *v1alpha1.Application) (*state.Target, error) {
	return h.r.target(ctx, app)
}

// Render implements deletion.Hooks.
func (h hooksRunner) Render(ctx context.Context, t *state.Target) (*gitops.Rendering, error) {
	snaps, err := h.r.snapshots(ctx, t)
	if err != nil {
		return nil, err
	}
	return h.r.render(ctx, t, snaps)
}

// Wave implements deletion.Hooks.
func (h hooksRunner) Wave(ctx context.Context, t *state.Target, w gitops.Wave) []gitops.Result {
	return h.r.wave(ctx, t, w)
}

// LetGo implements deletion.Hooks.
func (h hooksRunner) LetGo(ctx context.Context, t *state.Target, progress *plan.Progress) {
	h.r.letGo(ctx, t, progress)
}

// writers are the users that projects have writes made as.
type writers struct{ r *Reconciler }

// Writer implements deletion.Writers.
func (w writers) Writer(s *state.Subject, had state.Writer) (state.Writer, error) {
	return w.r.writer(s, had)
}

// AsNow implements deletion.Writers.
func (w writers) AsNow(ctx context.Context, s state.Subject, had state.Writer) (state.Subject, state.Writer, error) {
	return w.r.asNow(ctx, s, had)
}
