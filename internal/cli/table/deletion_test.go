package table

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

// TestWhatADeletionWaitsFor: what a person has to do comes before what ends by itself.
func TestWhatADeletionWaitsFor(t *testing.T) {
	since := metav1.NewTime(clitest.Noon)
	asks := v1alpha1.ResourceStatus{Kind: "PersistentVolumeClaim", Namespace: "shop", Name: "db", RequiresDeletionConfirmation: true}
	runs := &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Message: "waiting for\nDeployment web"}
	cases := map[string]struct {
		reason string
		app    v1alpha1.Application
		want   string
	}{
		"nothing":    {"it is about to be gone", v1alpha1.Application{}, ""},
		"finalizers": {"whoever has them is waited for", v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"a/x", "b/y"}}}, "waiting for a/x, b/y"},
		"operation":  {"finalizers come after it", v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"a/x"}}, Status: v1alpha1.ApplicationStatus{OperationState: runs}}, "waiting for its operation: waiting for Deployment web"},
		"begins":     {"one that is asked for is waited for as well", v1alpha1.Application{Operation: &v1alpha1.Operation{}}, "waiting for its operation: the engine has not begun yet"},
		"confirm":    {"a person has to, and is told how", v1alpha1.Application{Status: v1alpha1.ApplicationStatus{OperationState: runs, Resources: []v1alpha1.ResourceStatus{asks, asks}}}, "waiting for a confirmation of 2 deletions: causeway approve team/shop"},
		"error":      {"what is wrong comes first", v1alpha1.Application{Status: v1alpha1.ApplicationStatus{Resources: []v1alpha1.ResourceStatus{asks}, Conditions: []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionRolledBackWarning, Message: "of before"}, {Type: v1alpha1.ApplicationConditionDeletionError, Message: "dev does\nnot answer"}}}}, "dev does not answer"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.app.Namespace, c.app.Name, c.app.DeletionTimestamp = "team", "shop", &since
			if got := Deletion(&c.app); got != c.want {
				t.Errorf("%s: %q, want %q", c.reason, got, c.want)
			}
		})
	}
}
