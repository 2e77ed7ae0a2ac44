package get

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/golden"
)

func TestPrintedTables(t *testing.T) {
	servers := map[string]string{"https://dev:6443": "dev"}
	healthy := clitest.Shop()
	healthy.Name, healthy.Spec.Sources, healthy.Status = "a", nil, v1alpha1.ApplicationStatus{}
	dev := gitops.Cluster{
		Name: "dev", Server: "https://dev:6443", Secret: "dev",
		Labels: map[string]string{"environment": "dev", "enable_x": "true", "enable_y": "false"}, Annotations: map[string]string{"region": "eu"},
	}
	git := &rows.Repository{URL: "https://git.example.com/shop", Type: "git", Apps: 3, Credentials: true, Secret: "shop-repo"}
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "addons"}, Status: v1alpha1.ApplicationSetStatus{
		ResourcesCount: 1, Resources: []v1alpha1.ResourceStatus{{Health: &v1alpha1.HealthStatus{Status: "Healthy"}}},
		Conditions: []v1alpha1.ApplicationSetCondition{{Type: v1alpha1.ApplicationSetConditionResourcesUpToDate, Status: "True"}},
	}}
	lists := []struct {
		kind  kind
		items []rows.Row
	}{
		{applicationKind(), []rows.Row{applicationRow(healthy, healthy.Name, servers, clitest.Noon), applicationRow(clitest.Shop(), clitest.Shop().Name, servers, clitest.Noon)}},
		{applicationSetKind(), []rows.Row{applicationSetRow(set, clitest.Noon)}},
		{clusterKind(), []rows.Row{rows.ClusterRow(target.Spoke{Cluster: dev}, fleetstatus.Tally{Apps: 2, Synced: 1, Healthy: 1}, rows.Answer{State: "reachable", Version: "v1.36.3", Latency: 12 * time.Millisecond}, nil, nil)}},
		{repositoryKind(), []rows.Row{git.Row()}},
	}
	for _, output := range []string{table.AsTable, table.AsWide, table.AsName, table.AsYAML} {
		var out bytes.Buffer
		f := &flags{Global: &command.Global{Streams: command.Streams{Out: &out, Err: &out}}, output: output}
		for _, list := range lists {
			if err := f.print(list.kind, list.items, false); err != nil {
				t.Fatal(err)
			}
		}
		golden.Check(t, "get-"+output+".txt", out.String())
	}
}

func TestWatchingTellsWhatChanged(t *testing.T) {
	var out bytes.Buffer
	f := &flags{Global: &command.Global{Streams: command.Streams{Out: &out, Err: &out}}, output: table.AsTable}
	seen := map[string]string{}
	for i, change := range []func(*v1alpha1.Application){
		func(*v1alpha1.Application) {},
		func(*v1alpha1.Application) {},
		func(a *v1alpha1.Application) { a.Status.Health.Status = "Healthy" },
	} {
		app := clitest.Shop()
		change(app)
		items := []rows.Row{applicationRow(app, app.Name, nil, clitest.Noon.Add(time.Duration(i)*time.Hour))}
		if err := f.printChanged(applicationKind(), items, seen); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "Healthy") {
		t.Errorf("growing older is no change: %q", lines)
	}
}

func TestTreeIsPrinted(t *testing.T) {
	root := &branch{Group: "argoproj.io", Kind: "Application", Namespace: "argocd", Name: "shop", Sync: "Synced", Health: "Degraded", Children: []*branch{
		{Kind: "Namespace", Name: "shop", Sync: "Synced", Wave: -1},
		{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web", Sync: "Synced", Health: "Degraded", Info: "0/1 ready", Children: []*branch{
			{Group: "apps", Kind: "ReplicaSet", Namespace: "shop", Name: "web-1", Health: "Degraded", Children: []*branch{
				{Kind: "Pod", Namespace: "shop", Name: "web-1-a", Health: "Degraded", Info: "CrashLoopBackOff"},
			}},
		}},
		{Kind: "Service", Namespace: "shop", Name: "web", Sync: "OutOfSync", Health: "Missing"},
	}}
	for _, output := range []string{table.AsTree, table.AsWide, table.AsName, table.AsYAML} {
		var out bytes.Buffer
		f := &treeFlags{Global: &command.Global{Streams: command.Streams{Out: &out}}, output: output}
		if err := f.print(root); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "tree-"+output+".txt", out.String())
	}
}

func TestASourcesPasswordIsNotShown(t *testing.T) {
	if got := sourceText(v1alpha1.ApplicationSources{{RepoURL: "https://user:hunter2@git.example.com/shop.git", Path: "."}}); strings.Contains(got, "hunter2") {
		t.Errorf("the address has a password: %s", got)
	}
}

func TestAnApplicationThatGoesSaysSo(t *testing.T) {
	app := clitest.Shop()
	now := metav1.Now()
	app.DeletionTimestamp = &now
	if got := applicationMessage(app, fleetstatus.App{}); got != "Deleting" {
		t.Errorf("nothing else to tell: %q", got)
	}
	if got := applicationMessage(app, fleetstatus.App{Problem: "no answer"}); got != "Deleting: no answer" {
		t.Errorf("it cannot be deleted: %q", got)
	}
}

func TestASetSaysWhatItsTemplateLeaves(t *testing.T) {
	set := &v1alpha1.ApplicationSet{Status: v1alpha1.ApplicationSetStatus{Conditions: []v1alpha1.ApplicationSetCondition{
		{Type: v1alpha1.ApplicationSetConditionResourcesUpToDate, Status: "True"},
		{Type: v1alpha1.ApplicationSetConditionParameterWarning, Status: "True", Message: "{{x}} is left"},
	}}}
	if got := applicationSetRow(set, clitest.Noon).Cells; got[3] != "up to date" || got[5] != "{{x}} is left" {
		t.Errorf("it works, and is told of: %v", got)
	}
}
