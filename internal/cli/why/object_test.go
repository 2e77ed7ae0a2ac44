package why

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// outOfSync is an application of a team with objects that are not as Git says, each for another reason.
func outOfSync() *v1alpha1.Application {
	a := clitest.Shop()
	a.Namespace, a.Spec.SyncPolicy = "team", &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
	object := func(kind, name string, status v1alpha1.SyncStatusCode, health *v1alpha1.HealthStatus) v1alpha1.ResourceStatus {
		return v1alpha1.ResourceStatus{Kind: kind, Namespace: "shop", Name: name, Status: status, Health: health}
	}
	gone := object("ConfigMap", "gone", v1alpha1.SyncStatusCodeOutOfSync, nil)
	gone.RequiresPruning = true
	a.Status.Resources = []v1alpha1.ResourceStatus{
		object("Deployment", "web", v1alpha1.SyncStatusCodeOutOfSync, &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusProgressing, Message: "1 of 2\nupdated"}),
		object("Service", "new", v1alpha1.SyncStatusCodeOutOfSync, &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusMissing}),
		object("ConfigMap", "settings", v1alpha1.SyncStatusCodeSynced, nil), gone, object("Job", "migrate", "", nil),
	}
	a.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
		{Kind: "Deployment", Namespace: "shop", Name: "web", Status: v1alpha1.ResultCodeSyncFailed, Message: "field is\nimmutable"},
		{Kind: "Pod", Namespace: "shop", Name: "probe", HookPhase: v1alpha1.OperationSucceeded, Message: "it ran"},
	}}}
	return a
}

// TestWhyAnObjectIsAsItIs: by what the status knows, by a dry run where Git differs, and by what the last syncs did.
func TestWhyAnObjectIsAsItIs(t *testing.T) {
	const of = "GET /api/v1/applications/team/shop"
	forged := "web/a.yaml\n  Service new Synced" + clitest.Steering
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(outOfSync()), of + "/windows": api.Schedule{Project: "team", Automated: "in 2h", Manual: "now"},
		of + "/diff": []api.Difference{{
			Ref: api.Ref{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, Verb: "update", Origin: forged, Drifted: "was changed by kubectl", Changes: []api.Change{{Path: "spec.replicas", Old: 5, New: 1}},
		}},
	})
	cases := map[string]struct {
		reason, object string
		code           int
		want           []string
		not            string
	}{
		"differs": {"what is, and what should be", "Deployment/web", command.ExitFine, []string{
			"Deployment shop/web OutOfSync, Progressing: 1 of 2 updated\n", "  last operation (Failed): SyncFailed: field is immutable\n", "  it was changed by kubectl\n", "    spec.replicas: is 5, should be 1\n",
			"  sync windows of project team: the next automated sync may run in 2h (causeway windows team/shop)\n",
		}, "\n  Service new Synced"},
		"capitals":  {"kinds are known by any", "deployment/shop/web", command.ExitFine, []string{"Deployment shop/web OutOfSync"}, ""},
		"missing":   {"nothing is in the cluster", "Service/new", command.ExitFine, []string{"  it is in the sources and not in the cluster\n", "  the API server finds no difference now\n"}, ""},
		"synced":    {"no dry run is made of what is as Git says", "ConfigMap/settings", command.ExitFine, []string{"ConfigMap shop/settings Synced, no health of its own\n"}, "the API server"},
		"gone":      {"what removes it, as commands name the application", "ConfigMap/gone", command.ExitFine, []string{"no longer in the sources: automated syncs do not prune; causeway sync team/shop --prune deletes it"}, "the API server"},
		"hook":      {"a hook is not compared", "Job/migrate", command.ExitFine, []string{"Job shop/migrate hook, no health of its own"}, ""},
		"was there": {"the last operation met it", "Pod/probe", command.ExitFine, []string{"Pod probe is not among the objects of application shop now\n", "last operation (Failed): Succeeded: it ran"}, ""},
		"elsewhere": {"another namespace is another object", "Deployment/other/web", command.ExitFailed, []string{"application shop has no object Deployment/web, nor had its last syncs"}, ""},
		"misspelt":  {"the nearest is told", "Deployment/wbe", command.ExitFailed, []string{`did you mean "Deployment/web"?`}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t, New, "shop/"+c.object, "-N", "team", "--server", d.URL)
			got.Says(t, c.reason, c.code, c.want...)
			if c.not != "" && strings.Contains(got.Out, c.not) {
				t.Errorf("%s: it says\n%s", c.reason, got.Out)
			}
		})
	}
}

// TestWhatCannotBeToldOfAnObject leaves the rest of the answer as it is.
func TestWhatCannotBeToldOfAnObject(t *testing.T) {
	const of = "GET /api/v1/applications/team/shop"
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(outOfSync()), of + "/windows": clitest.Refusal{Status: http.StatusForbidden, Detail: "ann may not read projects"}, of + "/diff": clitest.Refusal{Status: http.StatusBadGateway, Detail: "the cluster\ndoes not answer"},
	})
	got := clitest.Run(t, New, "shop/Deployment/web", "-N", "team", "--server", d.URL)
	got.Says(t, "each part says why", command.ExitFine, "Deployment shop/web OutOfSync", "  its differences cannot be determined: ", "the cluster does not answer\n", "  its project cannot be read: ", "ann may not read projects\n", "  no history: ")
}

// TestWhatRemovesAnObject: the first of what holds it, for that is what a person has to do first.
func TestWhatRemovesAnObject(t *testing.T) {
	yes := true
	pruned := &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes}}
	cases := map[string]struct {
		reason  string
		policy  *v1alpha1.SyncPolicy
		confirm bool
		want    string
	}{
		"confirmed": {"a person has to say so, whatever syncs do", nil, true, "it goes when the deletion is confirmed (Prune=confirm): causeway approve team/shop"},
		"manual":    {"nothing prunes by itself", nil, false, "automated syncs do not prune; causeway sync team/shop --prune deletes it"},
		"automated": {"the next sync does, or else a guard is told of elsewhere", pruned, false, "the next sync deletes it, unless Prune=false or a guard keeps it"},
	}
	for name, c := range cases {
		a := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{SyncPolicy: c.policy}}
		if got := pruning(a, "team/shop", &v1alpha1.ResourceStatus{RequiresDeletionConfirmation: c.confirm}); got != c.want {
			t.Errorf("%s: %s: %s", name, c.reason, got)
		}
	}
}

// TestHeldDeletionsAreApprovedTogether: that comes before what each of them asks for.
func TestHeldDeletionsAreApprovedTogether(t *testing.T) {
	a := &v1alpha1.Application{}
	a.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDeletionHeldError}}
	a.Status.OperationState = &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{{Kind: "Pod", Name: "a", Status: v1alpha1.ResultCodePruneSkipped}}}}
	const want = "its deletion is held, as one of many; causeway approve team/shop shows the list, and approves it"
	if got := pruning(a, "team/shop", &v1alpha1.ResourceStatus{RequiresDeletionConfirmation: true}); got != want {
		t.Errorf("it says %s", got)
	}
}

// TestConditionsOfAnObject: those that name it, and none that says again what is said anyway.
func TestConditionsOfAnObject(t *testing.T) {
	unlike := &v1alpha1.ResourceStatus{Name: "web", Status: v1alpha1.SyncStatusCodeOutOfSync}
	like := &v1alpha1.ResourceStatus{Name: "web", Status: v1alpha1.SyncStatusCodeSynced}
	cases := map[string]struct {
		reason, kind, message string
		unlike, like          bool
	}{
		"named":       {"an error names it", v1alpha1.ApplicationConditionSyncError, "Deployment web is refused", true, true},
		"other":       {"an error is about another", v1alpha1.ApplicationConditionSyncError, "Deployment shop is refused", false, false},
		"held":        {"that is told where it is pruned", v1alpha1.ApplicationConditionDeletionHeldError, "web is held", false, false},
		"drift":       {"a dry run says it better", v1alpha1.ApplicationConditionDriftWarning, "web was changed", false, true},
		"rolled back": {"all that differs stays so", v1alpha1.ApplicationConditionRolledBackWarning, "it was rolled back", true, false},
	}
	got, want := map[string][2]bool{}, map[string][2]bool{}
	for name, c := range cases {
		condition := v1alpha1.ApplicationCondition{Type: c.kind, Message: c.message}
		got[name+": "+c.reason], want[name+": "+c.reason] = [2]bool{concerns(condition, unlike), concerns(condition, like)}, [2]bool{c.unlike, c.like}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
