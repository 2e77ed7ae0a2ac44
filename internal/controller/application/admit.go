package application

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/room"
)

// target checks the spec: its project, the project's permission for its
// sources and destination, and the cluster. The error is room.ErrNoRoom where the
// manifests that an operation brings find no room, or those that found none before.
func (r *Reconciler) target(ctx context.Context, app *v1alpha1.Application) (*state.Target, error) {
	if err := room.Fits(ctx); err != nil {
		return nil, err // for what was lacking before: nothing is asked for, refreshed or read meanwhile
	}
	project, err := r.Projects.Project(ctx, app.Spec.GetProject())
	if err != nil {
		return nil, err
	}
	r.doubt(project, app)
	if err := compare.Complete(app.Spec.GetSources()); err != nil {
		return nil, err
	}
	admitted, err := r.comparer().Admit(project, app)
	if err != nil {
		return nil, err
	}
	t := &state.Target{Subject: *admitted}
	t.Writer, t.Refusal = r.writer(&t.Subject, state.Writer{})
	if err := r.returning(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// snapshots fetches the sources, in their order.
func (r *Reconciler) snapshots(ctx context.Context, t *state.Target) ([]*gitops.Snapshot, error) {
	if t.Brought != nil {
		return nil, nil // Git need not answer
	}
	return r.comparer().Snapshots(ctx, &t.Subject)
}

func (r *Reconciler) render(ctx context.Context, t *state.Target, snaps []*gitops.Snapshot) (*gitops.Rendering, error) {
	if t.Brought != nil {
		return t.Brought.Rendering, nil
	}
	return r.comparer().Render(ctx, &t.Subject, snaps)
}

// comparer compares as the installation asks for it now.
func (r *Reconciler) comparer() *compare.Comparer[state.Cluster] {
	return &compare.Comparer[state.Cluster]{
		Namespace: r.Namespace, Projects: r.Projects, Fleet: r.Fleet, Apps: r.Apps, Sources: r.Fetch, Signatures: r.Fetch, Renderer: r.Render, Memo: r.Memo,
		Settings: r.Settings, Comparing: r.Comparing, Tracking: r.Tracking, Rendered: r.Rendered,
	}
}
