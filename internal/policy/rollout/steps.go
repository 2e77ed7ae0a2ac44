// Package rollout decides in which order a RollingSync brings the Applications
// of an ApplicationSet up to date: which belong to which step, which of them
// may sync now, and what the others wait for.
//
// It works on values and remembers nothing: what it decided before is in the
// set's status, which it is given.
package rollout

import (
	"slices"
	"strconv"
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

// ByHand takes the automated sync out of a generated Application: the roll-out
// asks for its syncs, as in Argo CD.
func ByHand(app *v1alpha1.Application) {
	if !app.Spec.SyncPolicy.IsAutomated() {
		return
	}
	off := false
	app.Spec.SyncPolicy = app.Spec.SyncPolicy.DeepCopy()
	app.Spec.SyncPolicy.Automated.Enabled = &off
}

// Reversed reports whether the Applications of a deleted set go in steps, those
// of the last step first.
func Reversed(set *v1alpha1.ApplicationSet) bool {
	steps, err := Of(set)
	return err == nil && len(steps) > 0 && strings.EqualFold(set.Spec.Strategy.DeletionOrder, v1alpha1.ApplicationSetDeletionOrderReverse)
}

// Paused reports whether a person has paused the roll-out of a set.
func Paused(set *v1alpha1.ApplicationSet) bool {
	return set.Annotations[gitops.AnnotationRolloutPaused] == "true"
}

// In returns those of one step.
func In(step int, all []Entry) []Entry {
	out := []Entry{}
	for _, e := range all {
		if e.Step == strconv.Itoa(step) {
			out = append(out, e)
		}
	}
	return out
}

// Message tells how a roll-out fares, by the conditions of its set. An error of the set comes first: what
// cannot be generated is not rolled out, whatever the steps say.
func Message(conditions []v1alpha1.ApplicationSetCondition) string {
	var broken string
	var progress v1alpha1.ApplicationSetCondition
	for _, c := range conditions {
		switch {
		case c.Type == v1alpha1.ApplicationSetConditionRolloutProgressing:
			progress = c
		case c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && c.Status == v1alpha1.ApplicationSetConditionStatusTrue:
			broken = "the set has an error: " + c.Message
		}
	}
	switch {
	case broken == "":
		return progress.Message
	case progress.Status != v1alpha1.ApplicationSetConditionStatusTrue:
		return broken
	}
	return broken + "; " + progress.Message
}

// Pause lets a roll-out begin nothing more. A set without steps has none.
func Pause(set *v1alpha1.ApplicationSet) error {
	if err := inSteps(set); err != nil {
		return err
	}
	if set.Annotations == nil {
		set.Annotations = map[string]string{}
	}
	set.Annotations[gitops.AnnotationRolloutPaused] = "true"
	return nil
}

// Resume lets a roll-out that is paused go on.
func Resume(set *v1alpha1.ApplicationSet) error {
	if err := inSteps(set); err != nil {
		return err
	}
	delete(set.Annotations, gitops.AnnotationRolloutPaused)
	return nil
}

// inSteps tells why a set has no roll-out to hold.
func inSteps(set *v1alpha1.ApplicationSet) error {
	steps, err := Of(set)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		return gitops.Problemf(gitops.Invalid, "ApplicationSet %s brings all of its Applications up to date at once: there is no roll-out to hold", set.Name).
			Do("set spec.strategy.type: RollingSync to do it in steps")
	}
	return nil
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
