package report

import (
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ApplicationSets describes failures of ApplicationSets.
type ApplicationSets struct{}

const (
	messageGenerated = "Successfully generated parameters for all Applications"
	messageUpToDate  = "All applications have been generated successfully"

	isTrue  = v1alpha1.ApplicationSetConditionStatusTrue
	isFalse = v1alpha1.ApplicationSetConditionStatusFalse
)

// Describe sets the three conditions of a set.
func (ApplicationSets) Describe(obj client.Object, f *Failure, now time.Time) {
	set, ok := obj.(*v1alpha1.ApplicationSet)
	if !ok {
		return
	}
	if f == nil {
		SetSetCondition(set, v1alpha1.ApplicationSetConditionErrorOccurred, isFalse, v1alpha1.ApplicationSetReasonApplicationSetUpToDate, messageUpToDate, now)
		SetSetCondition(set, v1alpha1.ApplicationSetConditionParametersGenerated, isTrue, v1alpha1.ApplicationSetReasonParametersGenerated, messageGenerated, now)
		SetSetCondition(set, v1alpha1.ApplicationSetConditionResourcesUpToDate, isTrue, v1alpha1.ApplicationSetReasonApplicationSetUpToDate, messageUpToDate, now)
		return
	}
	reason, generated := v1alpha1.ApplicationSetReasonUpdateApplicationError, isTrue
	if f.Stage == Generate {
		reason, generated = v1alpha1.ApplicationSetReasonApplicationParamsGenerationError, isFalse
	}
	SetSetCondition(set, v1alpha1.ApplicationSetConditionErrorOccurred, isTrue, reason, f.Err.Error(), now)
	SetSetCondition(set, v1alpha1.ApplicationSetConditionParametersGenerated, generated, v1alpha1.ApplicationSetReasonErrorOccurred, f.Err.Error(), now)
	SetSetCondition(set, v1alpha1.ApplicationSetConditionResourcesUpToDate, isFalse, reason, f.Err.Error(), now)
}

// SetSetCondition sets one condition of a set; its time of transition moves
// only when status, reason or message do. What the message says is bounded.
func SetSetCondition(set *v1alpha1.ApplicationSet, kind v1alpha1.ApplicationSetConditionType, status v1alpha1.ApplicationSetConditionStatus, reason, message string, now time.Time) {
	at := v1alpha1.NewTime(now.Truncate(time.Second))
	c := v1alpha1.ApplicationSetCondition{Type: kind, Status: status, Reason: reason, Message: gitops.Condition(message), LastTransitionTime: &at}
	i := slices.IndexFunc(set.Status.Conditions, func(o v1alpha1.ApplicationSetCondition) bool { return o.Type == kind })
	if i < 0 {
		set.Status.Conditions = append(set.Status.Conditions, c)
		return
	}
	old := set.Status.Conditions[i]
	if old.Status != c.Status || old.Reason != reason || old.Message != c.Message {
		set.Status.Conditions[i] = c
	}
}
