package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func shop() *v1alpha1.Application {
	return &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{
			Name: "shop", Namespace: "argocd", CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour)),
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "x"}},
		},
		Spec: v1alpha1.ApplicationSpec{
			Project:     "team",
			Destination: v1alpha1.ApplicationDestination{Server: "https://dev:6443", Namespace: "shop"},
			Sources: v1alpha1.ApplicationSources{
				{RepoURL: "https://git.example.com/shop", TargetRevision: "main", Ref: "values"},
				{RepoURL: "https://charts.example.com", Chart: "shop", TargetRevision: "1.x"},
			},
		},
		Status: v1alpha1.ApplicationStatus{
			Sync:   v1alpha1.SyncStatus{Status: "OutOfSync", Revisions: []string{"5c9026b1f2d4c3b2a1908f7e6d5c4b3a29180706", "1.2.0"}},
			Health: v1alpha1.AppHealthStatus{Status: "Degraded"},
			Conditions: []v1alpha1.ApplicationCondition{
				{Type: "ComparisonError", Message: "cannot render chart:\n  it is broken"},
			},
		},
	}
}

func TestTables(t *testing.T) {
	servers := map[string]string{"https://dev:6443": "dev"}
	healthy := shop()
	healthy.Name, healthy.Spec.Sources, healthy.Status = "a", nil, v1alpha1.ApplicationStatus{}
	dev := gitops.Cluster{
		Name: "dev", Server: "https://dev:6443", Secret: "dev",
		Labels: map[string]string{"environment": "dev", "enable_x": "true", "enable_y": "false"}, Annotations: map[string]string{"region": "eu"},
	}
	git := &repositoryView{URL: "https://git.example.com/shop", Type: "git", Apps: 3, Credentials: true, Secret: "shop-repo"}
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "addons"}, Status: v1alpha1.ApplicationSetStatus{
		ResourcesCount: 1, Resources: []v1alpha1.ResourceStatus{{Health: &v1alpha1.HealthStatus{Status: "Healthy"}}},
		Conditions: []v1alpha1.ApplicationSetCondition{{Type: v1alpha1.ApplicationSetConditionResourcesUpToDate, Status: "True"}},
	}}
	lists := []struct {
		kind  kind
		items []item
	}{
		{applicationKind(), []item{applicationItem(healthy, healthy.Name, servers, noon), applicationItem(shop(), shop().Name, servers, noon)}},
		{applicationSetKind(), []item{applicationSetItem(set, noon)}},
		{clusterKind(), []item{clusterItem(spoke{Cluster: dev}, fleetstatus.Tally{Apps: 2, Synced: 1, Healthy: 1}, answered{"reachable", "v1.36.3", 12 * time.Millisecond}, nil, nil)}},
		{repositoryKind(), []item{repositoryItem(git)}},
	}
	for _, output := range []string{asTable, asWide, asName, asYAML} {
		var out bytes.Buffer
		f := &getFlags{global: &global{Streams: Streams{Out: &out, Err: &out}}, output: output}
		for _, list := range lists {
			if err := f.print(list.kind, list.items, false); err != nil {
				t.Fatal(err)
			}
		}
		golden(t, "get-"+output+".txt", out.String())
	}
}

func TestWatchingTellsWhatChanged(t *testing.T) {
	var out bytes.Buffer
	f := &getFlags{global: &global{Streams: Streams{Out: &out, Err: &out}}, output: asTable}
	seen := map[string]string{}
	for i, change := range []func(*v1alpha1.Application){
		func(*v1alpha1.Application) {},
		func(*v1alpha1.Application) {},
		func(a *v1alpha1.Application) { a.Status.Health.Status = "Healthy" },
	} {
		app := shop()
		change(app)
		items := []item{applicationItem(app, app.Name, nil, noon.Add(time.Duration(i)*time.Hour))}
		if err := f.printChanged(applicationKind(), items, seen); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "Healthy") {
		t.Errorf("growing older is no change: %q", lines)
	}
}

func TestTableGivesWay(t *testing.T) {
	all := table{header: []string{"NAME", "MESSAGE"}, rows: [][]string{{"a", strings.Repeat("x", 100)}, {"ключ", ""}}}
	var out bytes.Buffer
	if err := all.print(&out, live.Plain(), 40); err != nil {
		t.Fatal(err)
	}
	want := "NAME  MESSAGE\na     " + strings.Repeat("x", 33) + "…\nключ\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	repository := repositoryOf(&corev1.Secret{Data: map[string][]byte{
		"url": []byte("https://git.example.com/x"), "username": []byte("u"), "password": []byte("hunter2"),
	}})
	if !repository.Credentials || repository.Type != "git" {
		t.Errorf("got %+v", repository)
	}
	cluster := clusterItem(spoke{Cluster: gitops.Cluster{Name: "x", Annotations: map[string]string{
		corev1.LastAppliedConfigAnnotation: `{"stringData":{"config":"hunter2"}}`, "region": "eu",
	}}}, fleetstatus.Tally{}, answered{state: "reachable"}, nil, nil)
	var out bytes.Buffer
	if err := printValue(&out, asJSON, []any{repository, cluster.object}); err != nil {
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
	for _, output := range []string{asTree, asWide, asName, asYAML} {
		var out bytes.Buffer
		f := &treeFlags{global: &global{Streams: Streams{Out: &out}}, output: output}
		if err := f.print(root); err != nil {
			t.Fatal(err)
		}
		golden(t, "tree-"+output+".txt", out.String())
	}
}

func TestDifferenceIsPainted(t *testing.T) {
	text := "--- live x\n+++ desired x\n@@ -1,2 +1,2 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n"
	want := "update Deployment shop/web\n@@ -1,2 +1,2 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n\n"
	if diff := cmp.Diff(want, painting(text, "update Deployment shop/web", live.Plain())); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsDecideTheExitCode(t *testing.T) {
	tests := map[string]struct {
		reason string
		states []string
		code   int
	}{
		"Fine": {reason: "all is well", states: []string{fine, fine}},
		"Warn": {reason: "a warning is no failure", states: []string{fine, warn}},
		"Fail": {reason: "a failure is", states: []string{fail, fine}, code: exitFailed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var found []finding
			for _, state := range tc.states {
				found = append(found, finding{Check: "c", State: state, Detail: "d", Fix: "f"})
			}
			var out bytes.Buffer
			err := (&global{Streams: Streams{Out: &out}}).reportFindings(asTable, found)
			if exitCode(err) != tc.code || err != nil && !silent(err) || !strings.Contains(out.String(), "→ f") {
				t.Errorf("%s: %v, %q", tc.reason, err, out.String())
			}
		})
	}
}

func TestARepositorysPasswordIsNotShown(t *testing.T) {
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: "https://user:hunter2@git.example.com/shop.git", Path: "."}}}
	views := map[string]*repositoryView{}
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
	app := shop()
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
	if got := applicationSetItem(set, noon).cells; got[3] != "up to date" || got[5] != "{{x}} is left" {
		t.Errorf("it works, and is told of: %v", got)
	}
}

func TestErrorsHaveTheirExitCodes(t *testing.T) {
	for want, err := range map[int]error{
		exitFine: nil, exitChanges: errChanges, exitUsage: usagef("no"), exitFailed: errSaid, exitInterrupted: errors.Join(errInterrupted, nil), exitLate: fmt.Errorf("application shop: %w", latef("not done")),
	} {
		if got := exitCode(err); got != want {
			t.Errorf("%v: exits with %d, not %d", err, got, want)
		}
	}
}
