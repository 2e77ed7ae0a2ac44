package state

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
)

// Results writes what became of each object in the form of the operation's
// state. Objects of waves that have not run yet are not in it. As in Argo CD,
// what is applied without a namespace shows the application's.
func Results(a *Attempt, namespace string) v1alpha1.ResourceResults {
	var list v1alpha1.ResourceResults
	for action, wave := range a.Plan.All() {
		outcome, ok := a.Progress.Result(wave.Phase, action.Key)
		if !ok {
			continue
		}
		s := opstate.Result(&outcome)
		if s.Namespace == "" && action.Desired != nil && !action.Namespace {
			s.Namespace = namespace
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, opstate.ByKind)
	return list
}
