package why

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

// TestPastOfAnObject is what the last syncs did with it, wave by wave; one that cannot be read hides no other.
func TestPastOfAnObject(t *testing.T) {
	const of = "GET /api/v1/applications/team/shop/"
	hour := time.Now().Add(-time.Hour)
	list := []history.Sync{{ID: "aaaa1111bbbb", Started: hour, Cause: "automated"}, {ID: "bbbb2222", Started: hour}, {ID: "cccc3333", Started: hour, By: "ann", Cause: "manual"}, {ID: "dddd4444", Started: hour}}
	object := func(kind, namespace, message string) history.Object {
		return history.Object{Kind: kind, Namespace: namespace, Name: "web", Message: message, Status: "Synced"}
	}
	traced := func(objects ...history.Object) syncs.Trace {
		return syncs.Trace{Sync: &history.Sync{Waves: []history.Wave{{Phase: "Sync", Number: 2, Objects: objects}}}}
	}
	asked := ""
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(outOfSync()), of + "windows": api.Schedule{Automated: "now"}, of + "diff": []api.Difference{},
		of + "history": func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.Query().Get("limit")
			_ = json.NewEncoder(w).Encode(list)
		},
		of + "history/aaaa1111bbbb": traced(object("Deployment", "shop", "the field\nis immutable"), object("Deployment", "other", "not this one"), object("Service", "shop", "nor this")),
		of + "history/bbbb2222":     clitest.Refusal{Status: http.StatusNotFound, Detail: "it is gone"},
		of + "history/cccc3333":     traced(object("deployment", "shop", ""), object("Ingress", "shop", "routed")),
		of + "history/dddd4444":     syncs.Trace{},
	})
	look := func(object string) clitest.Left {
		return clitest.Run(t, New, "shop/"+object, "-N", "team", "--server", d.URL)
	}
	got := look("Deployment/shop/web")
	got.Says(t, "the newest first", command.ExitFine, "  the last syncs:\n    60m ago, automated, Sync wave 2: the field is immutable (trace aaaa1111)\n    60m ago, manual by ann, Sync wave 2: Synced (trace cccc3333)\n")
	for _, not := range []string{"not this one", "nor this", "no history", "bbbb2222"} {
		if strings.Contains(got.Out, not) {
			t.Errorf("it says %q:\n%s", not, got.Out)
		}
	}
	if asked != "5" {
		t.Errorf("it looks at %s syncs", asked)
	}
	look("Ingress/web").Says(t, "what only the history knows is told of", command.ExitFine, "Ingress web is not among the objects of application shop now\n", "routed (trace cccc3333)")
	if got := look("ConfigMap/settings"); strings.Contains(got.Out, "the last syncs") {
		t.Errorf("no sync touched it:\n%s", got.Out)
	}
	look("Ingress/new").Says(t, "what nobody knows is refused", command.ExitFailed, "application shop has no object Ingress/new, nor had its last syncs")
}
