package operate

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// hub is a kubeconfig of a hub with some Applications, whose engine takes up at once what it is asked for.
func hub(t *testing.T, more map[string]any, apps ...*v1alpha1.Application) (kubeconfig string, d *clitest.Desk) {
	t.Helper()
	find := func(r *http.Request) *v1alpha1.Application {
		for _, a := range apps {
			if a.Namespace == r.PathValue("namespace") && a.Name == r.PathValue("name") {
				return a
			}
		}
		return nil
	}
	const one = "/apis/argoproj.io/v1alpha1/namespaces/{namespace}/applications/{name}"
	routes := map[string]any{
		"GET " + one: func(w http.ResponseWriter, r *http.Request) { answer(w, find(r)) },
		"PATCH " + one: func(w http.ResponseWriter, r *http.Request) {
			app := find(r)
			if err := json.NewDecoder(r.Body).Decode(app); err != nil {
				t.Error(err)
			}
			if app.Operation != nil {
				app.Status.OperationState = &v1alpha1.OperationState{Operation: *app.Operation, Phase: v1alpha1.OperationSucceeded}
				app.Operation = nil
			}
			answer(w, app)
		},
	}
	for route, answer := range more {
		routes[strings.ReplaceAll(route, "ONE", one)] = answer
	}
	d = clitest.NewDesk(t, routes)
	desk, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	letIn := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { // without TLS no client sends a token
		r.SetURL(desk)
		r.Out.Header.Set("Authorization", "Bearer "+clitest.Token)
	}})
	t.Cleanup(letIn.Close)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	text := "{apiVersion: v1, kind: Config, clusters: [{name: a, cluster: {server: '" + letIn.URL + "'}}], contexts: [{name: a, context: {cluster: a}}], current-context: a}"
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig, d
}

func answer(w http.ResponseWriter, app *v1alpha1.Application) {
	if app == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if err := json.NewEncoder(w).Encode(app); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func named(name string, changes ...func(*v1alpha1.Application)) *v1alpha1.Application {
	a := clitest.Settled(changes...)
	a.Name, a.ResourceVersion = name, "1"
	return a
}

func busy(a *v1alpha1.Application) {
	a.Status.OperationState.Phase, a.Status.OperationState.Message = v1alpha1.OperationRunning, "wave 2\nof 3"
}

// patches are the changes of Applications that a hub was asked for.
func patches(d *clitest.Desk) []string {
	var out []string
	for _, one := range d.Asked() {
		if rest, ok := strings.CutPrefix(one, "PATCH "); ok {
			out = append(out, rest)
		}
	}
	return out
}

// TestThoseThatCanBeSyncedAre: one that is busy keeps no other from being followed, and one that is not there keeps all
// from being asked for.
func TestThoseThatCanBeSyncedAre(t *testing.T) {
	kubeconfig, d := hub(t, nil, named("a"), named("busy", busy), named("b"))
	got := clitest.Run(t, NewSync, "a", "busy", "argocd/a", "b", "--kubeconfig", kubeconfig)
	got.Says(t, "two of three", command.ExitFailed, "a: 0 objects synced in ", "b: 0 objects synced in ", "busy: cannot sync: application busy is syncing already: wave 2 of 3\n")
	if n := len(patches(d)); n != 2 || strings.Count(got.Out, "\n") != 2 {
		t.Errorf("%d were asked for\n%s", n, got.Out)
	}
	clitest.Run(t, NewSync, "busy", "--kubeconfig", kubeconfig).Says(t, "alone", command.ExitFailed, "Error: cannot sync: application busy is syncing already")
	got = clitest.Run(t, NewSync, "b", "crat", "--kubeconfig", kubeconfig)
	got.Says(t, "a name of nothing", command.ExitFailed, `there is no application "crat" in namespace argocd of the hub`)
	if n := len(patches(d)); n != 2 {
		t.Errorf("%d more were asked for", n-2)
	}
}

// TestWhatWaitsForOthersBeginsAtOnce where that is asked for; what runs does not begin anew.
func TestWhatWaitsForOthersBeginsAtOnce(t *testing.T) {
	awaits := func(a *v1alpha1.Application) {
		busy(a)
		a.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDependencyWaiting}}
	}
	kubeconfig, d := hub(t, nil, named("waits", awaits), named("busy", busy))
	for _, args := range []string{"waits", "busy --ignore-dependencies"} {
		clitest.Run(t, NewSync, append(strings.Fields(args), "--kubeconfig", kubeconfig)...).Says(t, args, command.ExitFailed, "is syncing already: wave 2 of 3")
	}
	clitest.Run(t, NewSync, "waits", "--ignore-dependencies", "--kubeconfig", kubeconfig).Says(t, "it waits alone", command.ExitFine)
	if got := patches(d); len(got) != 1 || !strings.Contains(got[0], gitops.InfoIgnoreDependencies) {
		t.Errorf("asked %q", got)
	}
}

// TestTerminationsAreTriedAgain: the engine writes into what runs, and somebody else's write ends none of it.
func TestTerminationsAreTriedAgain(t *testing.T) {
	app, tries := named("shop", busy), 0
	kubeconfig, _ := hub(t, map[string]any{"PATCH ONE": func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries < 3 {
			w.WriteHeader(http.StatusConflict)
			return
		}
		app.Status.OperationState.Phase, app.Status.OperationState.Message = v1alpha1.OperationFailed, "operation terminated"
		answer(w, app)
	}}, app)
	clitest.Run(t, NewTerminate, "shop", "--kubeconfig", kubeconfig).Says(t, "the third try", command.ExitFine, "shop: operation terminated\n")
	app = named("shop", busy)
	kubeconfig, _ = hub(t, map[string]any{"PATCH ONE": clitest.Refusal{Status: http.StatusForbidden}}, app)
	clitest.Run(t, NewTerminate, "shop", "--kubeconfig", kubeconfig).Says(t, "a denial is final", command.ExitFailed, "cannot terminate: ")
}

// TestRequestsAreTakenBack before they begin; how the operation before ended is not their end.
func TestRequestsAreTakenBack(t *testing.T) {
	app := clitest.Settled(func(a *v1alpha1.Application) {
		a.Operation, a.Status.OperationState.Message = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, "successfully synced"
	})
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "POST " + ofShop + "/terminate": func(w http.ResponseWriter, _ *http.Request) {
		app.Operation = nil
		w.WriteHeader(http.StatusNoContent)
	}})
	got := clitest.Run(t, NewTerminate, "shop", "--server", d.URL)
	got.Says(t, "nothing has run", command.ExitFine, "shop: the operation was taken back before the engine began it\n")
	if strings.Contains(got.Out, "successfully synced") {
		t.Errorf("it tells of the one before: %s", got.Out)
	}
}
