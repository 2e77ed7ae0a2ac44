// Package operation makes the requests that Applications carry: a sync, a
// rollback, the end of one, a deletion. The command line and the API ask for
// the same in the same words. It changes values alone; who writes them stands above.
package operation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Want says what is wanted of an operation.
type Want struct {
	Prune, DryRun bool
	// Force deletes objects that cannot be changed, and creates them again.
	Force bool
	// NoHooks applies the objects alone.
	NoHooks bool
	// Freely begins whatever the Application depends on.
	Freely bool
	// Revision instead of the spec's; empty for that.
	Revision string
	// Revisions are the same where there are several sources: one each.
	Revisions []string
	// Options besides those of the Application.
	Options []string
	// Resources alone; all when there are none.
	Resources []v1alpha1.SyncOperationResource
	// Manifests instead of the sources'.
	Manifests []string
	// Retries instead of the spec's; nil for those.
	Retries *int64
	// By is who asks, and Mark what makes the operation known again.
	By, Mark string
}

// Sync is the operation that syncs an Application.
func (w Want) Sync(app *v1alpha1.Application) *v1alpha1.Operation {
	op := w.operation(&v1alpha1.SyncOperation{
		Prune: w.Prune, DryRun: w.DryRun, Resources: w.Resources, SyncStrategy: w.strategy(), Manifests: w.Manifests,
		SyncOptions: slices.Concat(app.Spec.SyncPolicy.Options(), w.Options),
	})
	if w.Freely {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoIgnoreDependencies, Value: "true"})
	}
	switch {
	case !app.Spec.HasMultipleSources():
		op.Sync.Revision = cmp.Or(append([]string{w.Revision}, w.Revisions...)...)
	case len(w.Revisions) > 0:
		op.Sync.Revisions = w.Revisions
	case w.Revision != "":
		op.Sync.Revisions = []string{w.Revision}
	}
	if policy := app.Spec.SyncPolicy; policy != nil && policy.Retry != nil {
		op.Retry = *policy.Retry
	}
	if w.Retries != nil {
		op.Retry.Limit = *w.Retries
	}
	return op
}

func (w Want) operation(sync *v1alpha1.SyncOperation) *v1alpha1.Operation {
	return &v1alpha1.Operation{
		Sync: sync, InitiatedBy: v1alpha1.OperationInitiator{Username: w.By}, Info: []v1alpha1.Info{{Name: gitops.InfoRequest, Value: w.Mark}},
	}
}

func (w Want) strategy() *v1alpha1.SyncStrategy {
	apply := v1alpha1.SyncStrategyApply{Force: w.Force}
	if w.NoHooks {
		return &v1alpha1.SyncStrategy{Apply: &apply}
	}
	return &v1alpha1.SyncStrategy{Hook: &v1alpha1.SyncStrategyHook{SyncStrategyApply: apply}}
}

// Rollback is the operation that goes back. Hooks do not run again.
func (w Want) Rollback(app *v1alpha1.Application, to *history.Sync) (*v1alpha1.Operation, error) {
	if to.DryRun {
		return nil, gitops.Problemf(gitops.Invalid, "cannot roll back: sync %s was a dry run, and applied nothing", to.ID).Do("choose another one")
	}
	var sources v1alpha1.ApplicationSources
	if err := json.Unmarshal(to.Sources, &sources); err != nil || len(sources) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "the history does not know the sources of sync %s", to.ID)
	}
	op := w.operation(&v1alpha1.SyncOperation{
		Prune: w.Prune, DryRun: w.DryRun, SyncOptions: app.Spec.SyncPolicy.Options(),
		SyncStrategy: &v1alpha1.SyncStrategy{Apply: &v1alpha1.SyncStrategyApply{}},
	})
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoRollback, Value: to.ID})
	revisions := make([]string, 0, len(to.Commits))
	for i := range to.Commits {
		revisions = append(revisions, to.Commits[i].Revision)
	}
	if app.Spec.HasMultipleSources() {
		op.Sync.Sources, op.Sync.Revisions = sources, revisions
		return op, nil
	}
	op.Sync.Source = &sources[0]
	if len(revisions) > 0 {
		op.Sync.Revision = revisions[0]
	}
	return op, nil
}

// Busy reports whether an operation is asked for or under way.
func Busy(app *v1alpha1.Application) bool {
	return app.Operation != nil || app.Status.OperationState.Runs()
}

// Awaits reports whether what is under way only waits for dependencies.
func Awaits(app *v1alpha1.Application) bool {
	return app.Operation == nil && slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
		return c.Type == v1alpha1.ApplicationConditionDependencyWaiting
	})
}

// Message of what is under way.
func Message(app *v1alpha1.Application) string {
	st := app.Status.OperationState
	begun := st != nil && (app.Operation == nil || st.Runs()) // else it is the state of the one before
	if begun && st.Message != "" {
		return st.Message
	}
	return "the engine has not begun yet"
}

// Marked is the state of the operation that bears a mark; nil before it begins.
func Marked(app *v1alpha1.Application, mark string) *v1alpha1.OperationState {
	state := app.Status.OperationState
	if app.Operation != nil || state == nil {
		return nil
	}
	if !slices.Contains(state.Operation.Info, v1alpha1.Info{Name: gitops.InfoRequest, Value: mark}) {
		return nil
	}
	return state
}

// Terminate asks for the end of what an Application is busy with.
func Terminate(app *v1alpha1.Application) error {
	if !Busy(app) {
		return gitops.Problemf(gitops.NotReady, "application %s is busy with nothing", app.Name)
	}
	if app.Operation = nil; app.Status.OperationState.Runs() {
		app.Status.OperationState.Phase = v1alpha1.OperationTerminating
	}
	return nil
}

// Cascading reports whether a finalizer lets an Application's objects go with it.
func Cascading(finalizer string) bool {
	return strings.HasPrefix(finalizer, v1alpha1.FinalizerResources)
}

// Deletion sets the finalizers of an Application that is to be deleted: its
// objects go in the foreground or background, or with orphan stay.
func Deletion(app *v1alpha1.Application, how gitops.Propagation) error {
	kept := slices.DeleteFunc(slices.Clone(app.Finalizers), Cascading)
	switch how {
	case gitops.DeleteOrphan:
	case gitops.DeleteForeground:
		kept = append(kept, v1alpha1.FinalizerResources)
	case gitops.DeleteBackground:
		kept = append(kept, v1alpha1.FinalizerResourcesBackground)
	default:
		return fmt.Errorf("cannot delete in the way %q; choose foreground, background or orphan", how)
	}
	if app.DeletionTimestamp == nil {
		app.Finalizers = kept
	}
	return nil
}
