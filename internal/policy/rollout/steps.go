// Package rollout decides in which order a RollingSync brings the Applications
// of an ApplicationSet up to date: which belong to which step, which of them
// may sync now, and what the others wait for.
//
// It works on values and remembers nothing: what it decided before is in the
// set's status, which it is given.
package rollout

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Unmatched is the step of an Application that no step selects: it is never
// synced by the roll-out.
const Unmatched = -1

// Of returns the steps of a set, none for a set that brings all of its
// Applications up to date at once. A RollingSync without steps is an error.
func Of(set *v1alpha1.ApplicationSet) ([]v1alpha1.ApplicationSetRolloutStep, error) {
	s := set.Spec.Strategy
	if s == nil || s.Type != v1alpha1.ApplicationSetStrategyRollingSync {
		return nil, nil
	}
	if s.RollingSync == nil || len(s.RollingSync.Steps) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "cannot roll out applicationset %s: its strategy RollingSync has no steps", set.Name).
			Do("set spec.strategy.rollingSync.steps, or spec.strategy.type: AllAtOnce")
	}
	for i, step := range s.RollingSync.Steps {
		for _, e := range step.MatchExpressions {
			if e.Operator != "In" && e.Operator != "NotIn" {
				return nil, gitops.Problemf(gitops.Invalid, "cannot roll out applicationset %s: step %d matches label %q by operator %q", set.Name, i+1, e.Key, e.Operator).
					Do("write In or NotIn")
			}
		}
	}
	return s.RollingSync.Steps, nil
}

// Reversed tells whether the Applications of a deleted set go in steps, those
// of the last step first.
func Reversed(set *v1alpha1.ApplicationSet) bool {
	steps, err := Of(set)
	return err == nil && len(steps) > 0 && strings.EqualFold(set.Spec.Strategy.DeletionOrder, v1alpha1.ApplicationSetDeletionOrderReverse)
}

// Paused tells whether a person has paused the roll-out of a set.
func Paused(set *v1alpha1.ApplicationSet) bool {
	return set.Annotations[gitops.AnnotationRolloutPaused] == "true"
}

// StepOf returns the first step, counted from 1, that selects an Application
// of these labels; Unmatched when none does. A step without expressions
// selects every one.
func StepOf(steps []v1alpha1.ApplicationSetRolloutStep, labels map[string]string) int {
	for i, step := range steps {
		if !slices.ContainsFunc(step.MatchExpressions, func(e v1alpha1.ApplicationMatchExpression) bool { return !matches(e, labels) }) {
			return i + 1
		}
	}
	return Unmatched
}

func matches(e v1alpha1.ApplicationMatchExpression, labels map[string]string) bool {
	value, has := labels[e.Key]
	listed := has && slices.Contains(e.Values, value)
	if e.Operator == "NotIn" {
		return !listed
	}
	return listed
}

// atOnce is how many of a step's Applications may be at work at a time. A
// share is rounded down, but anything above nothing is at least one.
func atOnce(limit *intstr.IntOrString, total int) int {
	if limit == nil {
		return total
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, total, false)
	if limit.Type == intstr.String && limit.StrVal != "0%" && (err != nil || n < 1) {
		return 1
	}
	return max(n, 0)
}
