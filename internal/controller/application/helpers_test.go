package application

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// at is the time of every test.
var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

// rollingBack is an Application that is going back to what it had before a sync that began at a time.
func rollingBack(began time.Time) *v1alpha1.Application {
	app := &v1alpha1.Application{}
	app.Status.History = v1alpha1.RevisionHistories{{DeployedAt: v1alpha1.NewTime(began.Add(-time.Hour))}}
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Operation: v1alpha1.Operation{
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Info: []v1alpha1.Info{
			{Name: gitops.InfoRollback, Value: "x"}, {Name: gitops.InfoUndoes, Value: began.UTC().Format(time.RFC3339)},
		},
	}}
	return app
}
