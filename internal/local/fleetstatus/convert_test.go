package fleetstatus

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestAppOf(t *testing.T) {
	at := v1alpha1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	servers := map[string]string{"https://dev:6443": "dev"}
	automated := &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
	tests := map[string]struct {
		reason string
		app    v1alpha1.Application
		want   App
	}{
		"New": {
			reason: "an application that nobody has looked at is Unknown, and without a policy it waits for a person",
			app:    v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Destination: v1alpha1.ApplicationDestination{Server: "https://dev:6443/"}}},
			want:   App{Cluster: "dev", Sync: "Unknown", Health: "Unknown", Manual: true},
		},
		"Waiting": {
			reason: "a running sync says what it waits for",
			app: v1alpha1.Application{
				Spec: v1alpha1.ApplicationSpec{Destination: v1alpha1.ApplicationDestination{Name: "prod"}, SyncPolicy: automated},
				Status: v1alpha1.ApplicationStatus{
					Sync: v1alpha1.SyncStatus{Status: "OutOfSync"}, Health: v1alpha1.AppHealthStatus{Status: "Progressing"},
					OperationState: &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Message: "waiting for x", StartedAt: at},
				},
			},
			want: App{Cluster: "prod", Sync: "OutOfSync", Health: "Progressing", Phase: "Running", Message: "waiting for x", Since: at.Time},
		},
		"Unwell": {
			reason: "after the sync, the first object that is not healthy is named",
			app: v1alpha1.Application{
				Spec: v1alpha1.ApplicationSpec{SyncPolicy: automated},
				Status: v1alpha1.ApplicationStatus{
					Sync: v1alpha1.SyncStatus{Status: "Synced"}, Health: v1alpha1.AppHealthStatus{Status: "Degraded"},
					OperationState: &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, Message: "successfully synced"},
					Resources: []v1alpha1.ResourceStatus{
						{Kind: "Service", Name: "web", Health: &v1alpha1.HealthStatus{Status: "Healthy"}},
						{Kind: "Deployment", Namespace: "shop", Name: "web", Health: &v1alpha1.HealthStatus{Status: "Degraded", Message: "1 of 3"}},
					},
				},
			},
			want: App{Sync: "Synced", Health: "Degraded", Phase: "Succeeded", Message: "Deployment shop/web: 1 of 3"},
		},
		"Failed": {
			reason: "a failed sync is a problem",
			app: v1alpha1.Application{
				Spec:   v1alpha1.ApplicationSpec{SyncPolicy: automated},
				Status: v1alpha1.ApplicationStatus{OperationState: &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, Message: "denied"}},
			},
			want: App{Sync: "Unknown", Health: "Unknown", Phase: "Failed", Message: "denied", Problem: "sync failed: denied"},
		},
		"Condition": {
			reason: "an error of the comparison comes first; warnings do not count",
			app: v1alpha1.Application{
				Spec: v1alpha1.ApplicationSpec{SyncPolicy: automated},
				Status: v1alpha1.ApplicationStatus{Conditions: []v1alpha1.ApplicationCondition{
					{Type: v1alpha1.ApplicationConditionSharedResourceWarning, Message: "w"}, {Type: v1alpha1.ApplicationConditionComparisonError, Message: "no such path"},
				}},
			},
			want: App{Sync: "Unknown", Health: "Unknown", Problem: "ComparisonError: no such path"},
		},
		"Paused": {
			reason: "where its cluster is paused, it waits for that, whatever it waited for before",
			app: v1alpha1.Application{
				Spec: v1alpha1.ApplicationSpec{SyncPolicy: automated},
				Status: v1alpha1.ApplicationStatus{
					Sync: v1alpha1.SyncStatus{Status: "OutOfSync"}, Health: v1alpha1.AppHealthStatus{Status: "Healthy"},
					OperationState: &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Message: "waiting for x", StartedAt: at},
					Conditions:     []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionClusterPausedWarning, Message: "cluster prod is paused"}},
				},
			},
			want: App{Sync: "OutOfSync", Health: "Healthy", Phase: "Running", Message: "cluster prod is paused", Since: at.Time},
		},
		"Checking": {
			reason: "a request to refresh that is still there was not answered yet",
			app: v1alpha1.Application{
				ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1alpha1.AnnotationRefresh: "normal"}},
				Spec:       v1alpha1.ApplicationSpec{SyncPolicy: automated},
			},
			want: App{Sync: "Unknown", Health: "Unknown", Checking: true},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, AppOf(&tc.app, servers)); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

func TestSetOf(t *testing.T) {
	set := &v1alpha1.ApplicationSet{Status: v1alpha1.ApplicationSetStatus{ResourcesCount: 3, Conditions: []v1alpha1.ApplicationSetCondition{
		{Type: v1alpha1.ApplicationSetConditionErrorOccurred, Status: v1alpha1.ApplicationSetConditionStatusFalse, Message: "fine"},
		{Type: v1alpha1.ApplicationSetConditionResourcesUpToDate, Status: v1alpha1.ApplicationSetConditionStatusTrue},
	}}}
	if diff := cmp.Diff(Set{Apps: 3, Done: true}, SetOf(set)); diff != "" {
		t.Error(diff)
	}
	set.Status.Conditions[0].Status = v1alpha1.ApplicationSetConditionStatusTrue
	if got := SetOf(set); got.Problem != "fine" {
		t.Errorf("an error is a problem: %+v", got)
	}
	set.Status.Conditions = append(set.Status.Conditions[1:], v1alpha1.ApplicationSetCondition{
		Type: v1alpha1.ApplicationSetConditionParameterWarning, Status: v1alpha1.ApplicationSetConditionStatusTrue, Message: "{{x}} is left",
	})
	if diff := cmp.Diff(Set{Apps: 3, Done: true, Warning: "{{x}} is left"}, SetOf(set)); diff != "" {
		t.Errorf("what is left unresolved holds nothing up: %s", diff)
	}
}

// TestWhereAnApplicationRuns: the hub has two addresses and two names, and is one row
// of a list.
func TestWhereAnApplicationRuns(t *testing.T) {
	servers := map[string]string{"https://kubernetes.default.svc": "hub", "https://dev:6443": "dev"}
	for name, tc := range map[string]struct {
		reason string
		to     v1alpha1.ApplicationDestination
		known  map[string]string
		want   string
	}{
		"Name":          {"a name is a name", v1alpha1.ApplicationDestination{Name: "prod"}, servers, "prod"},
		"Server":        {"an address is named", v1alpha1.ApplicationDestination{Server: "https://DEV:6443/"}, servers, "dev"},
		"OtherServer":   {"one that nobody knows stays", v1alpha1.ApplicationDestination{Server: "https://x"}, servers, "https://x"},
		"Hub":           {"the hub by its address", v1alpha1.ApplicationDestination{Server: "https://kubernetes.default.svc"}, servers, "hub"},
		"HubByName":     {"by the name that it has without a description", v1alpha1.ApplicationDestination{Name: "in-cluster"}, servers, "hub"},
		"HubUnnamed":    {"which it keeps where nobody gave it another", v1alpha1.ApplicationDestination{Name: "in-cluster"}, nil, "in-cluster"},
		"NoDestination": {"there may be none yet", v1alpha1.ApplicationDestination{}, servers, ""},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Destination: tc.to}}
			if got := AppOf(app, tc.known).Cluster; got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}

// TestWhatAnApplicationSays: one line has room for one reason.
func TestWhatAnApplicationSays(t *testing.T) {
	ill := func(health, message string) []v1alpha1.ResourceStatus {
		return []v1alpha1.ResourceStatus{
			{Kind: "ConfigMap", Name: "no-health"},
			{Kind: "Job", Name: "j", Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusCode(health), Message: message}},
		}
	}
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for name, tc := range map[string]struct {
		reason string
		status v1alpha1.ApplicationStatus
		want   App
	}{
		"NoMessage": {
			"an object may not say why", v1alpha1.ApplicationStatus{Health: v1alpha1.AppHealthStatus{Status: "Missing"}, Resources: ill("Missing", "")},
			App{Health: "Missing", Message: "Job j: Missing"},
		},
		"Well": {
			"the health counts for the whole", v1alpha1.ApplicationStatus{Health: v1alpha1.AppHealthStatus{Status: "Healthy"}, Resources: ill("Suspended", "paused")},
			App{Health: "Healthy"},
		},
		"Error": {
			"a sync may end in an error, too", v1alpha1.ApplicationStatus{OperationState: &v1alpha1.OperationState{Phase: v1alpha1.OperationError, Message: "no cluster"}},
			App{Health: "Unknown", Phase: "Error", Message: "no cluster", Problem: "sync error: no cluster"},
		},
		"Since": {
			"after a sync it is as it is since its health changed",
			v1alpha1.ApplicationStatus{
				Health:         v1alpha1.AppHealthStatus{Status: "Healthy", LastTransitionTime: &v1alpha1.Time{Time: at.Time}},
				OperationState: &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, StartedAt: v1alpha1.Time{Time: at.Add(-time.Hour)}, Message: "done"},
			},
			App{Health: "Healthy", Phase: "Succeeded", Since: at.Time},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.want.Sync, tc.want.Manual = "Unknown", true
			if diff := cmp.Diff(tc.want, AppOf(&v1alpha1.Application{Status: tc.status}, nil)); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}
