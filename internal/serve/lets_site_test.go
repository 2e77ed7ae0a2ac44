package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Who is let see an Application by the hub's roles needs roles at its cluster for
// what is live there, one for each thing; who is let by a policy needs none. The
// audit has who tried without.
func TestAPIAsksTheCluster(t *testing.T) {
	objects := actionObjects + "---\n" + fmt.Sprintf(podObjects, "shell")
	s := serveSite(t, map[string]string{"app/a.yaml": objects})
	s.App("app", "app", manual)
	v := s.visitor("")
	v.signIn(t)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	s.Until("app", "synced", func(app *v1alpha1.Application) bool { return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced })
	s.Write("app/a.yaml", strings.ReplaceAll(objects, "web:1", "web:2"))

	guest := s.account("guest", "get", "list")
	s.may("guest", v1alpha1.Group, "applications/logs", "get")
	s.may("guest", v1alpha1.Group, "applications", "action/apps/Deployment/restart")
	web := "group=apps&version=v1&kind=Deployment&objectNamespace=" + s.Namespace + "&objectName=web"
	restart := api.Act{Action: "restart", DryRun: true}
	for _, step := range []struct {
		method, path             string
		body                     any
		group, resource, subject string
		verb                     string
	}{
		{http.MethodGet, at + "/object?" + web, nil, "apps", "deployments", "deployments.apps web", "get"},
		{http.MethodGet, at + "/events?" + web, nil, "", "events", "events", "list"},
		{http.MethodPost, at + "/objects/actions?" + web, restart, "apps", "deployments", "deployments.apps web", "patch"},
		// No node has the pod: its log is empty.
		{http.MethodGet, at + "/logs?podNamespace=" + s.Namespace + "&pod=shell", nil, "", "pods/log", "pods/log shell", "get"},
	} {
		guest.wants(t, http.StatusForbidden, step.method, step.path, step.body, nil)
		says := "cluster in-cluster does not let system:serviceaccount:" + s.Namespace + ":guest " + step.verb + " " + step.subject
		if !strings.Contains(guest.refusal, says) {
			t.Errorf("%s: the refusal is %s, and does not say %q", step.path, guest.refusal, says)
		}
		if step.verb == "get" && step.resource == "deployments" {
			showsDifference(t, guest, at, false)
			showsTree(t, guest, at, false)
			showsTree(t, v, at, true)
		}
		s.may("guest", step.group, step.resource, step.verb)
		guest.wants(t, http.StatusOK, step.method, step.path, step.body, nil)
		v.wants(t, http.StatusOK, step.method, step.path, step.body, nil) // by policy, with no role
	}
	showsDifference(t, guest, at, true)
	showsTree(t, guest, at, true)
	audited(t, v, "outcome=denied", "the try", func(e *audit.Entry) bool {
		return e.Who.Via == "kubernetes" && e.Verb == "get" && e.Resource == "applications" && e.Name == s.ID("app") && strings.Contains(e.Message, "does not let")
	})
}

// showsDifference waits until the Deployment's is shown, or left out.
func showsDifference(t *testing.T, v *visitor, at string, shown bool) {
	t.Helper()
	sees(t, v, at+"/diff", func(all *[]api.Difference) error {
		for _, d := range *all {
			if d.Kind == "Deployment" && (d.Kept == "") == shown && strings.Contains(d.Live, "web:1") == shown {
				return nil
			}
		}
		return fmt.Errorf("the differences are %+v", *all)
	})
}

// showsTree waits until the tree has what is live of the Deployment, or what its
// status says alone.
func showsTree(t *testing.T, v *visitor, at string, live bool) {
	t.Helper()
	sees(t, v, at+"/tree", func(tree *api.Tree) error {
		for _, n := range tree.Nodes {
			if n.Kind == "Deployment" && n.Sync != "" && !n.Missing && (n.UID != "") == live && (len(n.Images) > 0) == live && (live || strings.Contains(tree.Partial, "does not let")) {
				return nil
			}
		}
		return fmt.Errorf("the tree is %+v", tree)
	})
}
