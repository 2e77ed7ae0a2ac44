package application

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestModest: what says that it began by itself prunes where the Application is pruned
// by itself.
func TestModest(t *testing.T) {
	for name, tc := range map[string]struct {
		reason           string
		automated, prune bool
		want             bool
	}{
		"Automated": {"the policy does not prune", true, false, false},
		"Pruned":    {"it does", true, true, true},
		"Asked":     {"somebody asked for it", false, false, true},
	} {
		app := &v1alpha1.Application{}
		app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &tc.prune}}
		app.Status.OperationState = &v1alpha1.OperationState{Operation: v1alpha1.Operation{
			Sync: &v1alpha1.SyncOperation{Prune: true}, InitiatedBy: v1alpha1.OperationInitiator{Automated: tc.automated},
		}}
		modest(app)
		if got := app.Status.OperationState.Operation.Sync.Prune; got != tc.want {
			t.Errorf("%s: %s: it prunes: %t", name, tc.reason, got)
		}
	}
}
