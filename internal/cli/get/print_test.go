package get

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
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
	git := &RepositoryView{URL: "https://git.example.com/shop", Type: "git", Apps: 3, Credentials: true, Secret: "shop-repo"}
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "addons"}, Status: v1alpha1.ApplicationSetStatus{
		ResourcesCount: 1, Resources: []v1alpha1.ResourceStatus{{Health: &v1alpha1.HealthStatus{Status: "Healthy"}}},
		Conditions: []v1alpha1.ApplicationSetCondition{{Type: v1alpha1.ApplicationSetConditionResourcesUpToDate, Status: "True"}},
	}}
	lists := []struct {
		kind  kind
		items []item
	}{
		{applicationKind(), []item{applicationItem(healthy, healthy.Name, servers, clitest.Noon), applicationItem(clitest.Shop(), clitest.Shop().Name, servers, clitest.Noon)}},
		{applicationSetKind(), []item{applicationSetItem(set, clitest.Noon)}},
		{clusterKind(), []item{clusterItem(target.Spoke{Cluster: dev}, fleetstatus.Tally{Apps: 2, Synced: 1, Healthy: 1}, answered{"reachable", "v1.36.3", 12 * time.Millisecond}, nil, nil)}},
		{repositoryKind(), []item{repositoryItem(git)}},
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
		items := []item{applicationItem(app, app.Name, nil, clitest.Noon.Add(time.Duration(i)*time.Hour))}
		if err := f.printChanged(applicationKind(), items, seen); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "Healthy") {
		t.Errorf("growing older is no change: %q", lines)
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	repository := repositoryOf(&corev1.Secret{Data: map[string][]byte{
		"url": []byte("https://git.example.com/x"), "username": []byte("u"), "password": []byte("hunter2"),
	}})
	if !repository.Credentials || repository.Type != "git" {
		t.Errorf("got %+v", repository)
	}
	cluster := clusterItem(target.Spoke{Cluster: gitops.Cluster{Name: "x", Annotations: map[string]string{
		corev1.LastAppliedConfigAnnotation: `{"stringData":{"config":"hunter2"}}`, "region": "eu",
	}}}, fleetstatus.Tally{}, answered{state: "reachable"}, nil, nil)
	var out bytes.Buffer
	if err := table.PrintValue(&out, table.AsJSON, []any{repository, cluster.object}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), `"region": "eu"`) {
		t.Errorf("printed %s", out.String())
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

func TestARepositorysPasswordIsNotShown(t *testing.T) {
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: "https://user:hunter2@git.example.com/shop.git", Path: "."}}}
	views := map[string]*RepositoryView{}
	placedOf(views).use(app)
	for _, view := range views {
		printed, err := json.Marshal(view)
		if err != nil || strings.Contains(string(printed), "hunter2") || !view.Credentials || view.Apps != 1 {
			t.Errorf("the address has a password, or lacks what is known: %s, %v", printed, err)
		}
	}
	if len(views) != 1 || strings.Contains(sourceText(app.Spec.GetSources()), "hunter2") {
		t.Errorf("one repository, no password: %v, %s", views, sourceText(app.Spec.GetSources()))
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
	if got := applicationSetItem(set, clitest.Noon).cells; got[3] != "up to date" || got[5] != "{{x}} is left" {
		t.Errorf("it works, and is told of: %v", got)
	}
}
