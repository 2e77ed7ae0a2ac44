package report

import (
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// SetConditions replaces the conditions of the given types. One that was
// there with the same message keeps its time of transition, so that an
// unchanged outcome is no write. What a message says is bounded.
func SetConditions(app *v1alpha1.Application, types []string, conditions []v1alpha1.ApplicationCondition, now time.Time) {
	old := app.Status.Conditions
	kept := slices.DeleteFunc(slices.Clone(old), func(c v1alpha1.ApplicationCondition) bool {
		return slices.Contains(types, c.Type)
	})
	for _, c := range conditions {
		c.Message = gitops.Condition(c.Message)
		c.LastTransitionTime = transition(old, c, now)
		kept = append(kept, c)
	}
	if len(kept) == 0 {
		kept = nil
	}
	app.Status.Conditions = kept
}

func transition(old []v1alpha1.ApplicationCondition, c v1alpha1.ApplicationCondition, now time.Time) *v1alpha1.Time {
	for _, o := range old {
		if o.Type == c.Type && o.Message == c.Message && o.LastTransitionTime != nil {
			return o.LastTransitionTime
		}
	}
	at := v1alpha1.NewTime(now.Truncate(time.Second))
	return &at
}
