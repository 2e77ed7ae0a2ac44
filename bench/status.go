package main

import (
	"encoding/json"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// revision stands for a commit.
const revision = "0123456789012345678901234567890123456789"

// goodStatus is a patch with the status of an application that was synced for the
// first time: the fields that Argo CD fills in, on which its tools rely.
func goodStatus(name string) ([]byte, error) {
	app, now := applicationNamed(name), v1alpha1.NewTime(time.Now())
	objects := statusObjects(app.Name)
	status := v1alpha1.ApplicationStatus{
		Resources: objects,
		Sync: v1alpha1.SyncStatus{
			Status: v1alpha1.SyncStatusCodeSynced, Revision: revision,
			ComparedTo: v1alpha1.ComparedTo{Source: *app.Spec.Source, Destination: app.Spec.Destination},
		},
		Health: v1alpha1.AppHealthStatus{Status: v1alpha1.HealthStatusHealthy, LastTransitionTime: &now},
		History: v1alpha1.RevisionHistories{{
			Revision: revision, DeployedAt: now, DeployStartedAt: &now, Source: *app.Spec.Source,
			InitiatedBy: v1alpha1.OperationInitiator{Automated: true},
		}},
		ReconciledAt: &now, SourceType: v1alpha1.ApplicationSourceTypeDirectory, Summary: v1alpha1.ApplicationSummary{Images: []string{"registry.example.com/web:1.0.0"}},
		OperationState: &v1alpha1.OperationState{
			Operation: v1alpha1.Operation{
				Sync:        &v1alpha1.SyncOperation{Revision: revision, Prune: true, SyncOptions: app.Spec.SyncPolicy.SyncOptions},
				InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Retry: v1alpha1.RetryStrategy{Limit: 5},
			},
			Phase: v1alpha1.OperationSucceeded, Message: "successfully synced (all tasks run)", StartedAt: now, FinishedAt: &now,
			SyncResult: &v1alpha1.SyncOperationResult{Revision: revision, Source: *app.Spec.Source, Resources: results(objects)},
		},
	}
	return json.Marshal(map[string]any{"status": status})
}

func statusObjects(namespace string) []v1alpha1.ResourceStatus {
	healthy := &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusHealthy}
	object := func(group, kind, name string, health *v1alpha1.HealthStatus) v1alpha1.ResourceStatus {
		return v1alpha1.ResourceStatus{Group: group, Version: "v1", Kind: kind, Namespace: namespace, Name: name, Status: v1alpha1.SyncStatusCodeSynced, Health: health}
	}
	return []v1alpha1.ResourceStatus{
		object("", "ConfigMap", "settings", nil), object("", "Service", "web", healthy),
		object("", "ServiceAccount", "web", nil), object("apps", "Deployment", "web", healthy),
	}
}

func results(objects []v1alpha1.ResourceStatus) (out v1alpha1.ResourceResults) {
	for _, o := range objects {
		out = append(out, v1alpha1.ResourceResult{
			Group: o.Group, Version: o.Version, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
			Status: v1alpha1.ResultCodeSynced, Message: "created", HookPhase: v1alpha1.OperationRunning, SyncPhase: v1alpha1.SyncPhaseSync,
		})
	}
	return out
}
