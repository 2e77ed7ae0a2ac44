package report

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Applications describes failures of Applications.
type Applications struct{}

// failureConditions are the conditions that Describe owns.
var failureConditions = []string{
	v1alpha1.ApplicationConditionInvalidSpecError,
	v1alpha1.ApplicationConditionComparisonError,
	v1alpha1.ApplicationConditionDeletionError,
	v1alpha1.ApplicationConditionUnknownError,
}

var conditionOfStage = map[Stage]string{
	Spec:   v1alpha1.ApplicationConditionInvalidSpecError,
	Fetch:  v1alpha1.ApplicationConditionComparisonError,
	Render: v1alpha1.ApplicationConditionComparisonError,
	Plan:   v1alpha1.ApplicationConditionComparisonError,
	Delete: v1alpha1.ApplicationConditionDeletionError,
}

// Describe sets the condition of the failed stage. An application that could
// not be compared is Unknown; its health stays what was seen last.
func (Applications) Describe(obj client.Object, f *Failure, now time.Time) {
	app, ok := obj.(*v1alpha1.Application)
	if !ok {
		return
	}
	if st := app.Status.OperationState; st != nil {
		st.Message = gitops.Condition(st.Message) // an operation tells of errors, too
	}
	if f == nil {
		SetConditions(app, failureConditions, nil, now)
		return
	}
	kind, ok := conditionOfStage[f.Stage]
	if !ok {
		kind = v1alpha1.ApplicationConditionUnknownError
	}
	SetConditions(app, failureConditions, []v1alpha1.ApplicationCondition{{Type: kind, Message: f.Err.Error()}}, now)
	if f.Stage != Apply && f.Stage != Observe && f.Stage != Delete {
		app.Status.Sync.Status = v1alpha1.SyncStatusCodeUnknown
		markUnknown(app, f.Stage, now)
	}
}

// markUnknown gives the health that Argo CD gives: Unknown for a spec that
// cannot be understood, else what was seen last, or Healthy when nothing was.
func markUnknown(app *v1alpha1.Application, stage Stage, now time.Time) {
	health := &app.Status.Health
	wanted := health.Status
	switch {
	case stage == Spec:
		wanted = v1alpha1.HealthStatusUnknown
	case wanted == "":
		wanted = v1alpha1.HealthStatusHealthy
	}
	if wanted != health.Status {
		at := v1alpha1.NewTime(now.Truncate(time.Second))
		*health = v1alpha1.AppHealthStatus{Status: wanted, LastTransitionTime: &at}
	}
}
