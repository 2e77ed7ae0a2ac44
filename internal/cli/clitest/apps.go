package clitest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Noon is when things are printed.
var Noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// Shop is an application of two sources that is out of sync, and why.
func Shop() *v1alpha1.Application {
	return &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{
			Name: "shop", Namespace: "argocd", CreationTimestamp: metav1.NewTime(Noon.Add(-time.Hour)),
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "x"}},
		},
		Spec: v1alpha1.ApplicationSpec{
			Project:     "team",
			Destination: v1alpha1.ApplicationDestination{Server: "https://dev:6443", Namespace: "shop"},
			Sources: v1alpha1.ApplicationSources{
				{RepoURL: "https://git.example.com/shop", TargetRevision: "main", Ref: "values"},
				{RepoURL: "https://charts.example.com", Chart: "shop", TargetRevision: "1.x"},
			},
		},
		Status: v1alpha1.ApplicationStatus{
			Sync:   v1alpha1.SyncStatus{Status: "OutOfSync", Revisions: []string{"5c9026b1f2d4c3b2a1908f7e6d5c4b3a29180706", "1.2.0"}},
			Health: v1alpha1.AppHealthStatus{Status: "Degraded"},
			Conditions: []v1alpha1.ApplicationCondition{
				{Type: "ComparisonError", Message: "cannot render chart:\n  it is broken"},
			},
		},
	}
}

// The commits of an application that has settled, and of one that comes after.
const (
	OldCommit = "5c9026b1f2d4c3b2a1908f7e6d5c4b3a29180706"
	NewCommit = "77777771f2d4c3b2a1908f7e6d5c4b3a29180706"
)

// Settled is an application that is well at the old commit, and what is changed of it.
func Settled(changes ...func(*v1alpha1.Application)) *v1alpha1.Application {
	a := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "argocd"}}
	a.Status.Sync = v1alpha1.SyncStatus{Status: v1alpha1.SyncStatusCodeSynced, Revision: OldCommit}
	a.Status.Health.Status = v1alpha1.HealthStatusHealthy
	a.Status.OperationState = &v1alpha1.OperationState{
		Phase: v1alpha1.OperationSucceeded, StartedAt: v1alpha1.NewTime(time.Now()), Operation: v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, SyncResult: &v1alpha1.SyncOperationResult{Revision: OldCommit},
	}
	for _, change := range changes {
		change(a)
	}
	return a
}
