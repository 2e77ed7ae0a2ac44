package get

import (
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

func parentOf(name string, resources ...v1alpha1.ResourceStatus) *v1alpha1.Application {
	app := clitest.Settled()
	app.Name, app.Status.Resources = name, resources
	return app
}

func childApp(namespace, name string) v1alpha1.ResourceStatus {
	return v1alpha1.ResourceStatus{Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: v1alpha1.ApplicationKind, Namespace: namespace, Name: name, Status: "Synced"}
}

// TestTreeJoinsGitAndTheCluster: what the status has stands in the order of its waves, with what is live below it.
func TestTreeJoinsGitAndTheCluster(t *testing.T) {
	app := parentOf("shop",
		v1alpha1.ResourceStatus{Kind: "Service", Namespace: "shop", Name: "web", Status: "OutOfSync"},
		v1alpha1.ResourceStatus{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web", Status: "Synced"},
		v1alpha1.ResourceStatus{Kind: "ConfigMap", Namespace: "shop", Name: "former", Status: "OutOfSync", RequiresPruning: true},
		v1alpha1.ResourceStatus{Kind: "Namespace", Name: "shop", SyncWave: -1, Status: "Synced"},
	)
	pod := &api.Node{Ref: api.Ref{Version: "v1", Kind: "Pod", Namespace: "shop", Name: "web-1"}, Health: "Degraded", Message: "CrashLoopBackOff\nagain", Info: "Running"}
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "GET " + ofShop + "/tree": api.Tree{Partial: "Secrets may not be read", Nodes: []*api.Node{
		{Ref: api.Ref{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, Health: "Healthy", Message: "of no interest", Info: "1/1 ready", Children: []*api.Node{pod}},
		{Ref: api.Ref{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "former"}, Health: "Healthy"},
	}}})
	got := clitest.Run(t, NewTree, "shop", "--server", d.URL)
	got.Says(t, "what is left out is told", command.ExitFine, "warning: Secrets may not be read\n")
	var lines []string
	for line := range strings.Lines(got.Out) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"OBJECT SYNC HEALTH WAVE INFO", "Application shop Synced Healthy", "├─ Namespace shop Synced Missing -1",
		"├─ ConfigMap shop/former OutOfSync Healthy no longer in Git", "├─ Deployment shop/web Synced Healthy 1/1 ready",
		"│ └─ Pod shop/web-1 Degraded CrashLoopBackOff again", "└─ Service shop/web OutOfSync Missing",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// TestApplicationsOfApplications show how they are now; what is below them is shown where it is asked for, and a ring of
// them has an end.
func TestApplicationsOfApplications(t *testing.T) {
	cm := v1alpha1.ResourceStatus{Kind: "ConfigMap", Namespace: "shop", Name: "settings", Status: "Synced"}
	shop, child := parentOf("shop", childApp("argocd", "child"), childApp("argocd", "gone")), parentOf("child", cm, childApp("argocd", "shop"))
	child.Status.Health.Status = "Degraded"
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(shop, child), "GET /api/v1/applications/argocd/{name}/tree": api.Tree{Nodes: []*api.Node{
			{Ref: api.Ref{Group: v1alpha1.Group, Version: "v1alpha1", Kind: "Application", Namespace: "argocd", Name: "child"}, Health: "Healthy"},
		}},
	})
	flat := clitest.Run(t, NewTree, "shop", "-o", "name", "--server", d.URL)
	flat.Says(t, "one level", command.ExitFine)
	if want := "Application.argoproj.io/shop\nApplication.argoproj.io/child\nApplication.argoproj.io/gone\n"; flat.Out != want {
		t.Errorf("got\n%s", flat.Out)
	}
	clitest.Run(t, NewTree, "shop", "--server", d.URL).Says(t, "the hub knows how it is", command.ExitFine, "Application child  Synced  Degraded")
	deep := clitest.Run(t, NewTree, "shop", "-r", "-o", "name", "--server", d.URL)
	if n := strings.Count(deep.Out, "ConfigMap/settings"); deep.Code != command.ExitFine || n == 0 || n > maxDepth {
		t.Errorf("the ring is walked %d times: %d %s", n, deep.Code, deep.Errors)
	}
}

// TestApplicationsOfOtherNamespaces are shown as those of the control namespace are, and none for another of the same name.
func TestApplicationsOfOtherNamespaces(t *testing.T) {
	shop, there := parentOf("shop", childApp("team", "child"), childApp("former", "shop")), parentOf("child", v1alpha1.ResourceStatus{Kind: "ConfigMap", Namespace: "shop", Name: "settings"})
	there.Namespace, there.Status.Health.Status = "team", "Degraded"
	live := func(namespace, name string) *api.Node {
		return &api.Node{Ref: api.Ref{Group: v1alpha1.Group, Version: "v1alpha1", Kind: "Application", Namespace: namespace, Name: name}, Health: "Suspended"}
	}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(shop, there), "GET /api/v1/applications/{namespace}/{name}/tree": api.Tree{Nodes: []*api.Node{live("team", "child"), live("former", "shop")}},
	})
	clitest.Run(t, NewTree, "shop", "--server", d.URL).Says(t, "the hub knows how it is", command.ExitFine, "Application child  Synced  Degraded", "Application shop   Synced  Suspended")
	deep := clitest.Run(t, NewTree, "shop", "-r", "-o", "name", "--server", d.URL)
	if want := "Application.argoproj.io/shop\nApplication.argoproj.io/shop\nApplication.argoproj.io/child\nConfigMap/settings\n"; deep.Out != want {
		t.Errorf("what is below it is shown, too: got\n%s%s", deep.Out, deep.Errors)
	}
}

// TestTreeThatCannotBeRead is an error, where there is something to show.
func TestTreeThatCannotBeRead(t *testing.T) {
	app := parentOf("shop", v1alpha1.ResourceStatus{Kind: "ConfigMap", Namespace: "shop", Name: "a"})
	routes := map[string]any{clitest.AppsRoute: clitest.Applications(app), "GET " + ofShop + "/tree": clitest.Refusal{Status: http.StatusBadGateway, Detail: "dev does not answer"}}
	d := clitest.NewDesk(t, routes)
	clitest.Run(t, NewTree, "shop", "--server", d.URL).Says(t, "objects without their health would look well", command.ExitFailed, "cannot look below application shop: dev does not answer")
	app.Status.Resources = nil
	clitest.Run(t, NewTree, "shop", "--server", d.URL).Says(t, "there was nothing to look for", command.ExitFine, "warning: dev does not answer", "Application shop")
}
