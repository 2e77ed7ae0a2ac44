package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// A set in steps tells how far each step is; others have no roll-out.
func TestRolloutOf(t *testing.T) {
	set := &v1alpha1.ApplicationSet{}
	if got := rolloutOf(set, &reach.Unseen{}); got != nil {
		t.Errorf("all at once: %+v", got)
	}
	half := intstr.FromString("50%")
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
		Steps: []v1alpha1.ApplicationSetRolloutStep{{MaxUpdate: &half}, {}},
	}}
	if err := rollout.Pause(set); err != nil {
		t.Fatal(err)
	}
	entry := func(step string, status v1alpha1.ProgressiveSyncStatusCode) v1alpha1.ApplicationSetApplicationStatus {
		return v1alpha1.ApplicationSetApplicationStatus{Step: step, Status: status}
	}
	set.Status.ApplicationStatus = []v1alpha1.ApplicationSetApplicationStatus{
		entry("1", v1alpha1.ProgressiveSyncHealthy), entry("1", v1alpha1.ProgressiveSyncProgressing), entry("1", v1alpha1.ProgressiveSyncPending),
		entry("2", v1alpha1.ProgressiveSyncWaiting), entry("-1", v1alpha1.ProgressiveSyncHealthy),
	}
	want := &Rollout{Paused: true, Steps: []RolloutStep{{1, "50%", 3, 1, 2, 0}, {2, "", 1, 0, 0, 1}, {0, "", 1, 1, 0, 0}}}
	if diff := cmp.Diff(want, rolloutOf(set, &reach.Unseen{})); diff != "" {
		t.Errorf("a roll-out (-want +got):\n%s", diff)
	}
}
