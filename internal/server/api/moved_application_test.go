package api

import (
	"net/http"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// An Application that has left the project by which somebody was found to have a
// right is neither shown nor acted on by that right.
func TestRightsAreOfTheProjectThatIsRead(t *testing.T) {
	const app = "/applications/argocd/web-dev"
	for name, c := range map[string]struct{ method, path, body string }{
		"get":    {"GET", app, ""},
		"tree":   {"GET", app + "/tree", ""},
		"logs":   {"GET", app + "/logs?podNamespace=n&pod=p", ""},
		"action": {"POST", app + "/objects/actions?kind=Service&objectName=web", `{"action":"restart"}`},
	} {
		w := newWorld()
		if got := send(t, w.handler(), "writer", c.method, c.path, c.body); got.Code != http.StatusOK {
			t.Errorf("%s: %d %s before it has moved", name, got.Code, got.Body)
		}
		w.apps[view.Key{Namespace: "argocd", Name: "web-dev"}].Spec.Project = "platform"
		if got := send(t, w.handler(), "writer", c.method, c.path, c.body); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s after it has moved", name, got.Code, got.Body)
		}
	}
	w := newWorld()
	w.apps[view.Key{Namespace: "argocd", Name: "web-dev"}].Spec.Project = "platform"
	if _, code, text := knockAt(t, house(t, w), shellAt, http.Header{"X-Test-User": {"writer"}}); code != http.StatusNotFound {
		t.Errorf("a terminal: %d %s after it has moved", code, text)
	}
}
