package application

import (
	"context"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// ownTarget renders and compares again when the operation asks for another
// revision, other sources or other sync options than the spec does.
func (r *Reconciler) ownTarget(ctx context.Context, t *state.Target, c *state.Comparison) (*state.Comparison, *state.Target, error) {
	op := opstate.SyncOf(t.App.Status.OperationState)
	if t.Brought != nil {
		return c, t, nil
	}
	sources, options := operationSources(t.App, op), operationOptions(t.App, op)
	if opstate.RollsOut(t.App.Status.OperationState.Operation) && c.Named(op) {
		sources = nil // what was just compared is what the roll-out is at
	}
	if sources == nil && slices.Equal(options, t.Options) {
		return c, t, nil
	}
	own, rendering := *t, c.Rendering
	own.Options = options
	if sources != nil {
		own.Sources, own.Named = sources, namedSources(op)
		if err := policy.Sources(t.Project, sources); err != nil {
			return nil, nil, err
		}
		snaps, err := r.snapshots(ctx, &own)
		if err != nil {
			return nil, nil, err
		}
		if rendering, err = r.render(ctx, &own, snaps); err != nil {
			return nil, nil, err
		}
	}
	compared, err := r.compareWith(ctx, &own, rendering)
	return compared, &own, err
}

// operationOptions are the sync options in force: the spec's for automated
// syncs. An operation that was asked for brings its own; who writes it takes
// over those of the spec that are wanted, as the command line does.
func operationOptions(app *v1alpha1.Application, op *v1alpha1.SyncOperation) v1alpha1.SyncOptions {
	if app.Status.OperationState.Operation.InitiatedBy.Automated {
		return app.Spec.SyncPolicy.Options()
	}
	return op.SyncOptions
}

// namedSources are the sources that stand in an operation; nil for the spec's.
func namedSources(op *v1alpha1.SyncOperation) v1alpha1.ApplicationSources {
	switch {
	case len(op.Sources) > 0:
		return op.Sources
	case op.Source != nil:
		return v1alpha1.ApplicationSources{*op.Source}
	}
	return nil
}

// operationSources are the sources that an operation names; nil when it goes
// by the spec. An automated one goes by the spec: it names what that resolved
// to; one of a roll-out keeps to what it names.
func operationSources(app *v1alpha1.Application, op *v1alpha1.SyncOperation) v1alpha1.ApplicationSources {
	if o := app.Status.OperationState.Operation; o.InitiatedBy.Automated && !opstate.RollsOut(o) && !opstate.Rolls(app) {
		return nil
	}
	sources := namedSources(op)
	if sources == nil {
		if op.Revision == "" && len(op.Revisions) == 0 {
			return nil
		}
		sources = app.Spec.GetSources()
	}
	sources = slices.Clone(sources)
	revisions := op.Revisions
	if op.Revision != "" {
		revisions = []string{op.Revision}
	}
	for i := range min(len(sources), len(revisions)) {
		if revisions[i] != "" {
			sources[i].TargetRevision = revisions[i]
		}
	}
	return sources
}

// only restricts a sync to the objects that it names; nil means all.
func only(resources []v1alpha1.SyncOperationResource) func(gitops.Key) bool {
	if len(resources) == 0 {
		return nil
	}
	return func(k gitops.Key) bool {
		for _, s := range resources {
			if s.Group == k.Group && s.Kind == k.Kind && s.Name == k.Name && (s.Namespace == "" || s.Namespace == k.Namespace) {
				return true
			}
		}
		return false
	}
}
