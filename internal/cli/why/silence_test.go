package why

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestLastOperationIsTold as far as it says something: a colon with nothing behind it looks cut.
func TestLastOperationIsTold(t *testing.T) {
	to := func(revision string) *v1alpha1.SyncOperationResult {
		return &v1alpha1.SyncOperationResult{Revision: revision}
	}
	cases := map[string]struct {
		reason string
		state  *v1alpha1.OperationState
		want   string
	}{
		"never":   {"there was none", nil, "  it was never synced"},
		"silent":  {"a phase alone", &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded}, "  last sync: Succeeded"},
		"blank":   {"blanks are no message", &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, Message: " \n"}, "  last sync: Failed"},
		"message": {"on one line", &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, Message: "one\n  two"}, "  last sync: Failed: one two"},
		"commit":  {"cut as Git does", &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, SyncResult: to(clitest.OldCommit)}, "  last sync to 5c9026b: Succeeded"},
		"several": {"no one revision is that of several sources", &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, SyncResult: to("")}, "  last sync: Succeeded"},
		"runs":    {"what it waits for", &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Message: "waiting for\nJob a", SyncResult: to("main")}, "  a sync runs: waiting for Job a"},
		"begins":  {"and before it says so", &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning}, "  a sync runs: the engine has not begun yet"},
	}
	for name, c := range cases {
		a := &v1alpha1.Application{Status: v1alpha1.ApplicationStatus{OperationState: c.state}}
		if diff := cmp.Diff([]string{c.want}, operating(a)); diff != "" {
			t.Errorf("%s: %s: %s", name, c.reason, diff)
		}
	}
}

// TestObjectsWithoutMessages are told of without colons that lead nowhere.
func TestObjectsWithoutMessages(t *testing.T) {
	a := &v1alpha1.Application{}
	a.Status.Resources = []v1alpha1.ResourceStatus{
		{Kind: "Deployment", Namespace: "shop", Name: "web", Status: v1alpha1.SyncStatusCodeSynced, Health: &v1alpha1.HealthStatus{Message: "left over"}},
		{Kind: "Service", Namespace: "shop", Name: "web", Status: v1alpha1.SyncStatusCodeSynced, Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusHealthy}},
	}
	a.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
		{Kind: "Deployment", Namespace: "shop", Name: "web", Status: v1alpha1.ResultCodeSynced}, {Kind: "Pod", Name: "probe", HookPhase: v1alpha1.OperationRunning, Message: "it\nruns"},
	}}}
	var out bytes.Buffer
	w := &whyObjectFlags{}
	w.Global = clitest.Global(t, &out)
	deployment, service, pod := objectName{kind: "Deployment", name: "web"}, objectName{kind: "Service", name: "web"}, objectName{kind: "Pod", name: "probe"}
	for reason, c := range map[string]struct{ got, want []string }{
		"a health without a status is none":  {w.now(a, "shop", deployment), []string{"Deployment shop/web Synced, no health of its own"}},
		"a health says no more than it is":   {w.now(a, "shop", service), []string{"Service shop/web Synced, Healthy"}},
		"what is not there is told of later": {w.now(a, "shop", pod), nil},
		"it runs, and has been applied":      {operationLines(a, deployment), []string{"  a sync runs: it has just begun", "  last operation (Running): Synced"}},
		"a hook has a phase":                 {operationLines(a, pod), []string{"  a sync runs: it has just begun", "  last operation (Running): Running: it runs"}},
		"another was not met":                {operationLines(a, service), []string{"  a sync runs: it has just begun"}},
		"nothing was ever done":              {operationLines(&v1alpha1.Application{}, pod), []string{"  it was never synced"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", reason, diff)
		}
	}
}

// TestApplicationThatNobodyComparedYet has no status: that is said, and no gap is left.
func TestApplicationThatNobodyComparedYet(t *testing.T) {
	app := &v1alpha1.Application{}
	app.Name, app.Namespace = "shop", "argocd"
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "GET /api/v1/applications/argocd/shop/windows": api.Schedule{Automated: "now"}})
	got := clitest.Run(t, New, "shop", "--server", d.URL)
	got.Says(t, "neither status is known", command.ExitFine)
	if want := "application shop Unknown, Unknown\n  it was never synced\n"; got.Out != want {
		t.Errorf("it says\n%s", got.Out)
	}
	app.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: "SyncError"}}
	clitest.Run(t, New, "shop", "--server", d.URL).Says(t, "a condition without a message", command.ExitFine, "\n  SyncError\n")
}
