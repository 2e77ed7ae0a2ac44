package state

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestResults has what was done so far, in the order of kinds and names; what is in no
// namespace shows that of the Application, as in Argo CD.
func TestResults(t *testing.T) {
	namespace := action("", "shop", func(a *gitops.Action) { a.Key.Kind, a.Namespace = "Namespace", true })
	role := action("", "viewer", func(a *gitops.Action) { a.Key.Kind = "ClusterRole" })
	gone := action("", "old", prunes, func(a *gitops.Action) { a.Key.Kind = "ClusterRole" })
	p := planOf(action("shop", "b"), action("shop", "a"), role, gone, namespace)
	p.Waves = append(p.Waves, gitops.Wave{Phase: gitops.PostSync, Actions: []gitops.Action{action("shop", "later")}})
	a := &Attempt{Plan: p}
	var outcome []gitops.Result
	for _, did := range p.Waves[0].Actions {
		outcome = append(outcome, gitops.Result{Key: did.Key, Phase: gitops.Sync, Verb: did.Verb})
	}
	a.Progress.Advance(plan.Step{Wave: &p.Waves[0]}, outcome)
	var got []string
	for _, r := range Results(a, "shop") {
		got = append(got, r.Kind+":"+r.Namespace+"/"+r.Name)
	}
	if diff := cmp.Diff([]string{"ClusterRole:/old", "ClusterRole:shop/viewer", "ConfigMap:shop/a", "ConfigMap:shop/b", "Namespace:/shop"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSettling is an automated sync whose objects are on their way: one write tells both.
func TestSettling(t *testing.T) {
	for name, tc := range map[string]struct {
		by     v1alpha1.OperationInitiator
		phase  v1alpha1.OperationPhase
		health v1alpha1.HealthStatusCode
		want   bool
	}{
		"on their way": {v1alpha1.OperationInitiator{Automated: true}, v1alpha1.OperationSucceeded, v1alpha1.HealthStatusProgressing, true},
		"healthy":      {v1alpha1.OperationInitiator{Automated: true}, v1alpha1.OperationSucceeded, v1alpha1.HealthStatusHealthy, false},
		"failed":       {v1alpha1.OperationInitiator{Automated: true}, v1alpha1.OperationFailed, v1alpha1.HealthStatusProgressing, false},
		"person waits": {v1alpha1.OperationInitiator{Username: "ann"}, v1alpha1.OperationSucceeded, v1alpha1.HealthStatusProgressing, false},
		"set waits":    {v1alpha1.OperationInitiator{Automated: true, Username: v1alpha1.ApplicationSetInitiator}, v1alpha1.OperationSucceeded, v1alpha1.HealthStatusProgressing, false},
	} {
		tg := syncing()
		tg.App.Status.OperationState.Operation.InitiatedBy, tg.App.Status.OperationState.Phase = tc.by, tc.phase
		tg.App.Status.Health.Status = tc.health
		if got := Settling(tg.App); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	if Settling(&v1alpha1.Application{}) {
		t.Error("nothing was synced")
	}
}
