package state

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Writer is a cluster as the user who writes to it: the engine itself where that is empty.
type Writer struct {
	apply.Cluster

	User string
}

// Refusals are the objects of a plan that the project forbids, as results of
// a sync: nothing was tried with them.
func (t *Target) Refusals(p *gitops.Plan) (v1alpha1.ResourceResults, []error) {
	var results v1alpha1.ResourceResults
	var problems []error
	for _, w := range p.Waves {
		for i := range w.Actions {
			if err := t.PermitsAction(&w.Actions[i]); err != nil {
				refused := Forbidden(&w, &w.Actions[i], err)
				result := opstate.Result(&refused)
				result.HookPhase = ""
				results, problems = append(results, result), append(problems, err)
			}
		}
	}
	return results, problems
}

// Forbidden is the result of an action that the project forbids.
func Forbidden(w *gitops.Wave, action *gitops.Action, why error) gitops.Result {
	r := gitops.Result{
		Key: action.Key, Verb: action.Verb, Phase: w.Phase, Wave: w.Number, Hook: action.Hook,
		Status: string(v1alpha1.ResultCodeSyncFailed), Message: why.Error(), Err: why,
	}
	if action.Desired != nil {
		r.Version = action.Desired.Object.GroupVersionKind().Version
	}
	return r
}

// Refuse tells how an operation ends that the project forbids, before anything
// is done; the phase is empty when nothing is forbidden. What is forbidden is
// put into the results; the caller ends the operation.
func (t *Target) Refuse(p *gitops.Plan) (phase v1alpha1.OperationPhase, text string) {
	if t.Refusal != nil {
		return v1alpha1.OperationError, t.Refusal.Error()
	}
	results, problems := t.Refusals(p)
	if len(problems) == 0 {
		return "", ""
	}
	t.App.Status.OperationState.SyncResult.Resources = results
	return v1alpha1.OperationFailed, opstate.Told(problems)
}

// Lifted reports whether the last automated sync was refused before anything was
// done, and that nothing refuses it any more: the project was changed since.
func (t *Target) Lifted(p *gitops.Plan) bool {
	st := t.App.Status.OperationState
	if !st.Operation.InitiatedBy.Automated || !refused(st) || t.Refusal != nil {
		return false
	}
	_, problems := t.Refusals(p)
	_, faults := Faults(p)
	return len(problems)+len(faults) == 0
}

// refused reports whether an operation ended as Refuse ends one: in an error, or
// with every object forbidden and none tried.
func refused(st *v1alpha1.OperationState) bool {
	if st.Phase == v1alpha1.OperationError {
		return true
	}
	return st.Phase == v1alpha1.OperationFailed && Untried(st)
}

// Untried reports whether an operation has results, and that nothing was tried with
// any of their objects.
func Untried(st *v1alpha1.OperationState) bool {
	if st.SyncResult == nil || len(st.SyncResult.Resources) == 0 {
		return false
	}
	for _, s := range st.SyncResult.Resources {
		if s.Status != v1alpha1.ResultCodeSyncFailed || s.HookPhase != "" {
			return false
		}
	}
	return true
}

// MayAsk reports whether the cluster may be asked what has become of an object of a plan: the project may have been
// narrowed since that was made.
func (t *Target) MayAsk(a *gitops.Action) bool { return a.Namespace || t.Sees(a.Key) }

// KeyOf is the object that an owner reference means; false for one that the project
// does not permit, or that no cluster serves.
func (t *Target) KeyOf(namespace string, o metav1.OwnerReference) (gitops.Key, bool) {
	gv, err := schema.ParseGroupVersion(o.APIVersion)
	if err != nil {
		return gitops.Key{}, false
	}
	namespaced, known := t.Cluster.Scope()(gv.Group, o.Kind)
	key := gitops.Key{Group: gv.Group, Kind: o.Kind, Name: o.Name}
	if namespaced {
		key.Namespace = namespace
	}
	return key, known && key.Name != "" && gitops.CheckKey(key) == nil && t.Sees(key)
}

// Sees reports whether the project permits an object that is there.
func (t *Target) Sees(key gitops.Key) bool {
	return t.Project != nil && policy.Live(t.Project, key, t.Place(), t.Scoped) == nil
}

// Faults are the objects of a plan that cannot be applied as they stand, as
// results of a sync: nothing was tried with them.
func Faults(p *gitops.Plan) (results v1alpha1.ResourceResults, problems []error) {
	for action, wave := range p.All() {
		if action.Fault == nil {
			continue
		}
		s := opstate.Result(&gitops.Result{
			Key: action.Key, Version: opstate.Version(action), Verb: action.Verb, Phase: wave.Phase, Hook: action.Hook,
			Status: string(v1alpha1.ResultCodeSyncFailed), Message: action.Fault.Error(),
		})
		s.HookPhase = ""
		results, problems = append(results, s), append(problems, action.Fault)
	}
	return results, problems
}

// IsLocal reports whether the manifests are an operation's own: of this one, or of an
// earlier one that a rollback goes back to.
func (t *Target) IsLocal() bool {
	return t.Brought != nil && t.Brought.Origin != nil && t.Brought.Origin.Brought
}

// Atomic reports whether the operation is brought back as a whole when it
// fails: a sync of all objects that is no rollback and no healing.
func (t *Target) Atomic() bool {
	op := opstate.SyncOf(t.App.Status.OperationState)
	return t.WaveTime > 0 && !opstate.Rolls(t.App) && !op.DryRun && len(op.Resources) == 0 && op.SelfHealAttemptsCount == 0
}

// IsRefused reports whether nobody may write there for the Application.
func (t *Target) IsRefused() bool { return t.Refusal != nil }
