package rollout

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Backwards returns, of the Applications of a set that is being deleted, those
// of the highest step that still has some, and that step. They go before any
// of a lower one. What no step selects is not among them: it goes with the set.
func Backwards(steps []v1alpha1.ApplicationSetRolloutStep, labels map[string]map[string]string) (names []string, step int) {
	for name, l := range labels {
		switch at := StepOf(steps, l); {
		case at == Unmatched || at < step:
		case at > step:
			names, step = []string{name}, at
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, step
}
