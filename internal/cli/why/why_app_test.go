package why

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestWhyApplication(t *testing.T) {
	yes := true
	object := v1alpha1.ResourceStatus{Kind: "ConfigMap", Namespace: "web", Name: "a", Status: v1alpha1.SyncStatusCodeOutOfSync}
	gone := v1alpha1.ResourceStatus{Kind: "ConfigMap", Namespace: "web", Name: "b", Status: v1alpha1.SyncStatusCodeOutOfSync, RequiresPruning: true}
	several := &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, SyncResult: &v1alpha1.SyncOperationResult{Revisions: []string{"main-0", "1.0.0"}}}
	failed := &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, SyncResult: &v1alpha1.SyncOperationResult{Revision: "main-1"}}
	automated := &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
	cases := map[string]struct {
		reason    string
		policy    *v1alpha1.SyncPolicy
		operation *v1alpha1.OperationState
		resources []v1alpha1.ResourceStatus
		notes     map[string]string
		revisions []string // of several sources
		want      []string
	}{
		"Manual":  {"nobody syncs it by itself", nil, nil, []v1alpha1.ResourceStatus{object}, nil, nil, []string{"  it is synced on demand only: causeway sync team/shop"}},
		"Paused":  {"before all else", automated, nil, nil, map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}, nil, []string{"  it is paused by the annotation argocd.argoproj.io/skip-reconcile"}},
		"Prunes":  {"only deletions are left", automated, nil, []v1alpha1.ResourceStatus{gone}, nil, nil, []string{"  automated syncs do not prune: causeway sync team/shop --prune"}},
		"Tried":   {"a revision that failed", automated, failed, []v1alpha1.ResourceStatus{object}, nil, nil, []string{"  the sync to main-1 failed, and is tried again by itself when what is synced changes; to try now: causeway sync team/shop"}},
		"Several": {"of several sources, which are as they were", automated, several, []v1alpha1.ResourceStatus{object}, nil, []string{"main-0", "1.0.0"}, []string{"  the sync failed, and is tried again by itself when what is synced changes; to try now: causeway sync team/shop"}},
		"Since":   {"of several sources, one of which has changed since", automated, several, []v1alpha1.ResourceStatus{object}, nil, []string{"main-1", "1.0.0"}, nil},
		"Changed": {"the cluster was changed", automated, &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded}, []v1alpha1.ResourceStatus{object}, nil, nil, []string{"  what is changed in the cluster is not healed: selfHeal is off"}},
		"Mixed":   {"a deletion is left, and more", automated, &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded}, []v1alpha1.ResourceStatus{gone, object}, nil, nil, []string{"  what is changed in the cluster is not healed: selfHeal is off"}},
		"First":   {"nothing was synced yet", automated, nil, []v1alpha1.ResourceStatus{object}, nil, nil, nil},
		"Running": {"a sync is at it", automated, &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning}, []v1alpha1.ResourceStatus{object}, nil, nil, nil},
		"Heals": {
			"nothing is in the way", &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{SelfHeal: &yes}},
			&v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded}, []v1alpha1.ResourceStatus{object}, nil, nil, nil,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := &v1alpha1.Application{}
			a.Name, a.Annotations, a.Spec.SyncPolicy = "shop", c.notes, c.policy
			if a.Status.Sync.Revisions = c.revisions; c.revisions == nil {
				a.Status.Sync.Revision = "main-1"
			}
			a.Status.Resources, a.Status.OperationState = c.resources, c.operation
			if diff := cmp.Diff(c.want, unsynced(a, "team/"+a.Name)); diff != "" {
				t.Errorf("%s: %s", c.reason, diff)
			}
		})
	}
}

// TestClusterThatIsLeftAlone is why nothing happens, whatever the policy says.
func TestClusterThatIsLeftAlone(t *testing.T) {
	a := &v1alpha1.Application{}
	a.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionClusterPausedWarning, Message: "cluster dev is paused by ann"}}
	if diff := cmp.Diff([]string{"  cluster dev is paused by ann"}, unsynced(a, "shop")); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsUnlikeOfAnObject: that it goes, that it differs, and its health where that is not good.
func TestWhatIsUnlikeOfAnObject(t *testing.T) {
	well, ill := &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusHealthy}, &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusDegraded}
	cases := map[string]struct {
		reason string
		status v1alpha1.SyncStatusCode
		prunes bool
		health *v1alpha1.HealthStatus
		want   string
	}{
		"like":     {"there is nothing to say", v1alpha1.SyncStatusCodeSynced, false, well, ""},
		"no kind":  {"nor where it has no health", v1alpha1.SyncStatusCodeSynced, false, nil, ""},
		"no word":  {"or one without a status", v1alpha1.SyncStatusCodeSynced, false, &v1alpha1.HealthStatus{Message: "x"}, ""},
		"differs":  {"it is as well as it differs", v1alpha1.SyncStatusCodeOutOfSync, false, well, "Pod shop/a: OutOfSync"},
		"goes":     {"that is why it differs", v1alpha1.SyncStatusCodeOutOfSync, true, nil, "Pod shop/a: no longer in the sources"},
		"ill":      {"without a reason", v1alpha1.SyncStatusCodeSynced, false, ill, "Pod shop/a: Degraded"},
		"both":     {"one does not hide the other", v1alpha1.SyncStatusCodeOutOfSync, false, &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusProgressing, Message: "1 of\n2"}, "Pod shop/a: OutOfSync, Progressing (1 of 2)"},
		"hook":     {"a hook is not compared", "", false, ill, "Pod shop/a: Degraded"},
		"goes ill": {"what goes may be ill, too", "", true, ill, "Pod shop/a: no longer in the sources, Degraded"},
	}
	for name, c := range cases {
		if got := unlikeness(&v1alpha1.ResourceStatus{Kind: "Pod", Namespace: "shop", Name: "a", Status: c.status, RequiresPruning: c.prunes, Health: c.health}); got != c.want {
			t.Errorf("%s: %s: %q", name, c.reason, got)
		}
	}
}

func TestWhyNamesTheObjectsThatDiffer(t *testing.T) {
	a := &v1alpha1.Application{}
	a.Name = "shop"
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		a.Status.Resources = append(a.Status.Resources, v1alpha1.ResourceStatus{
			Kind: "Pod", Name: name, Status: v1alpha1.SyncStatusCodeSynced, Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusDegraded, Message: "no"},
		})
	}
	got := unlike(a, "team/shop")
	if len(got) != mostUnlike+1 || got[0] != "  Pod a: Degraded (no)" || got[mostUnlike] != "  and 1 object more: causeway tree team/shop" {
		t.Errorf("%q", got)
	}
}
