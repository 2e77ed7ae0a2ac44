package operate

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

const ofShop = "/api/v1/applications/argocd/shop"

// asks gives an application an operation with the mark that the server tells, which has ended so.
func asks(app *v1alpha1.Application, phase v1alpha1.OperationPhase, message string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		op := (operation.Want{By: "ann", Mark: "mark"}).Sync(app)
		app.Status.OperationState = &v1alpha1.OperationState{Operation: *op, Phase: phase, Message: message, StartedAt: v1alpha1.NewTime(time.Now())}
		_, _ = w.Write([]byte(`{"id": "mark"}`))
	}
}

// TestServersAreAskedForWhatFlagsSay, and for nothing else.
func TestServersAreAskedForWhatFlagsSay(t *testing.T) {
	cascading := func(finalizer string) func(*v1alpha1.Application) {
		return func(a *v1alpha1.Application) { a.Finalizers = []string{finalizer} }
	}
	cases := map[string]struct {
		reason string
		made   func(*command.Global) *cobra.Command
		app    func(*v1alpha1.Application)
		args   string
		want   string
	}{
		"sync":              {"nothing is said that was not asked for", NewSync, nil, "shop", `POST ` + ofShop + `/sync {}`},
		"sync, all":         {"each flag is one of its words", NewSync, nil, "shop --prune --force --no-hooks --dry-run --retries 0 --revision v2 --server-side", `POST ` + ofShop + `/sync {"revision":"v2","prune":true,"dryRun":true,"force":true,"noHooks":true,"options":["ServerSideApply=true"],"retries":0}`},
		"sync, objects":     {"in the order that they are named", NewSync, nil, "shop --resource apps:Deployment:web --resource :ConfigMap:shop/a --dry-run", `POST ` + ofShop + `/sync {"dryRun":true,"resources":[{"group":"apps","kind":"Deployment","name":"web"},{"kind":"ConfigMap","namespace":"shop","name":"a"}]}`},
		"refresh":           {"a look", NewRefresh, nil, "shop", "POST " + ofShop + "/refresh?how=normal"},
		"refresh, hard":     {"and rendering anew", NewRefresh, nil, "shop --hard", "POST " + ofShop + "/refresh?how=hard"},
		"refresh, twice":    {"what is named twice is meant once", NewRefresh, nil, "shop shop", "POST " + ofShop + "/refresh?how=normal"},
		"delete":            {"without a finalizer its objects stay", NewDelete, nil, "shop --yes", "DELETE " + ofShop + "?objects=orphan"},
		"delete, as it is":  {"the Application's own way counts", NewDelete, cascading(v1alpha1.FinalizerResourcesBackground), "shop --yes", "DELETE " + ofShop + "?objects=background"},
		"delete, objects":   {"foreground is how it is without a word", NewDelete, cascading(v1alpha1.FinalizerResources), "shop --yes", "DELETE " + ofShop + "?objects=foreground"},
		"delete, cascade":   {"whatever it says", NewDelete, nil, "shop --yes --cascade", "DELETE " + ofShop + "?objects=foreground"},
		"delete, kept":      {"whatever it says", NewDelete, cascading(v1alpha1.FinalizerResources), "shop --yes --no-cascade", "DELETE " + ofShop + "?objects=orphan"},
		"delete, propagate": {"another way than the Application's", NewDelete, cascading(v1alpha1.FinalizerResources), "shop --yes --propagation background", "DELETE " + ofShop + "?objects=background"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			app := clitest.Settled()
			app.Status.Resources = []v1alpha1.ResourceStatus{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, {Kind: "ConfigMap", Namespace: "shop", Name: "a"}}
			if c.app != nil {
				c.app(app)
			}
			d := clitest.NewDesk(t, map[string]any{
				clitest.AppsRoute: clitest.Applications(app), "POST " + ofShop + "/sync": asks(app, v1alpha1.OperationSucceeded, ""),
				"POST " + ofShop + "/refresh": nil, "DELETE " + ofShop: nil,
			})
			clitest.Run(t, c.made, append(strings.Fields(c.args), "--server", d.URL)...).Says(t, c.reason, command.ExitFine)
			if diff := cmp.Diff(c.want, strings.Join(d.Asked(), "; ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

// TestServersAreNotAskedForWhatTheyCannotDo: some ways need the hub itself.
func TestServersAreNotAskedForWhatTheyCannotDo(t *testing.T) {
	app := clitest.Settled()
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "POST /": nil, "DELETE /": nil})
	for args, made := range map[string]func(*command.Global) *cobra.Command{
		"shop --ignore-dependencies": NewSync, "shop --local .": NewSync, "shop --no-hooks --yes": NewDelete, "cluster/dev --yes": NewApprove, "shop other --ignore-dependencies": NewSync,
	} {
		got := clitest.Run(t, made, append(strings.Fields(args), "--server", d.URL)...)
		got.Says(t, args, command.ExitUsage, "is not asked of a server: name the hub with --kubeconfig, and no --server")
	}
	if asked := d.Asked(); len(asked) > 0 {
		t.Errorf("something was done: %v", asked)
	}
}

// TestSyncsAreToldToTheirEnd: how it went, and why, of each object that failed.
func TestSyncsAreToldToTheirEnd(t *testing.T) {
	failed := &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
		{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web", Status: v1alpha1.ResultCodeSyncFailed, Message: "field is immutable"},
		{Kind: "Job", Namespace: "shop", Name: "migrate", HookPhase: v1alpha1.OperationFailed, Message: "exit 1"},
		{Kind: "ConfigMap", Namespace: "shop", Name: "fine", Status: v1alpha1.ResultCodeSynced, Message: "created"},
	}}
	cases := map[string]struct {
		reason  string
		phase   v1alpha1.OperationPhase
		message string
		result  *v1alpha1.SyncOperationResult
		args    string
		code    int
		want    []string
		not     string
	}{
		"well":       {"what was synced is counted", v1alpha1.OperationSucceeded, "", failed, "shop", command.ExitFine, []string{"shop: 3 objects synced in ", "; Synced, Healthy\n"}, "immutable"},
		"dry":        {"nothing was synced", v1alpha1.OperationSucceeded, "", nil, "shop --dry-run", command.ExitFine, []string{"shop: 0 objects tried in "}, "synced in"},
		"failed":     {"each failure has its object", v1alpha1.OperationFailed, "one of 3 failed", failed, "shop", command.ExitFailed, []string{"shop: Failed: one of 3 failed\n", "  Deployment shop/web: field is immutable\n", "  Job shop/migrate: exit 1\n"}, "shop/fine"},
		"error":      {"without a result there is a message", v1alpha1.OperationError, "no such revision", nil, "shop", command.ExitFailed, []string{"shop: Error: no such revision\n"}, "synced"},
		"async":      {"it is not followed", v1alpha1.OperationFailed, "never read", nil, "shop --async", command.ExitFine, nil, "never read"},
		"no object":  {"what is not there cannot be synced alone", v1alpha1.OperationSucceeded, "", nil, "shop --resource apps:Deployment:wbe", command.ExitFailed, []string{"application shop has no object that matches --resource apps:Deployment:wbe: see causeway tree shop"}, "synced in"},
		"one object": {"one that was as desired is in no result", v1alpha1.OperationSucceeded, "", nil, "shop --resource apps:Deployment:there", command.ExitFine, []string{"0 objects synced"}, "no object"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			app := clitest.Settled()
			app.Status.Resources = []v1alpha1.ResourceStatus{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "there"}}
			answer := asks(app, c.phase, c.message)
			d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "POST " + ofShop + "/sync": func(w http.ResponseWriter, r *http.Request) {
				answer(w, r)
				app.Status.OperationState.SyncResult = c.result
			}})
			got := clitest.Run(t, NewSync, append(strings.Fields(c.args), "--server", d.URL)...)
			got.Says(t, c.reason, c.code, c.want...)
			if c.not != "" && strings.Contains(got.Out+got.Errors, c.not) {
				t.Errorf("%s: it says %q\n%s%s", c.reason, c.not, got.Out, got.Errors)
			}
		})
	}
}

// many answers for several applications: an operation goes on until it was looked at twice. The last cannot be asked for.
func many(t *testing.T, verb string, keys ...string) map[string]any {
	t.Helper()
	looks, b := 0, &batch.Batch{ID: "op", Verb: verb, State: batch.Running, Counts: batch.Counts{Total: len(keys), Left: len(keys)}}
	say := func(w http.ResponseWriter) {
		if err := json.NewEncoder(w).Encode(b); err != nil {
			t.Error(err)
		}
	}
	return map[string]any{
		"POST /api/v1/applications/" + verb: func(w http.ResponseWriter, _ *http.Request) { say(w) },
		"GET /api/v1/operations/op": func(w http.ResponseWriter, r *http.Request) {
			looks++
			b.Counts.Left = max(0, len(keys)-looks)
			if b.Counts.Left == 0 {
				b.State = batch.Done
			}
			b.Results = nil
			for i, key := range keys {
				if r.URL.Query().Get("results") != "all" {
					break
				}
				one := batch.Result{Key: view.Key{Namespace: "argocd", Name: key}, Stage: batch.Asked}
				if i == len(keys)-1 {
					one.Stage, one.Error = batch.Failed, "ann may not "+verb+" applications platform/"+key
				}
				b.Results = append(b.Results, one)
			}
			say(w)
		},
	}
}

// TestSeveralAreOneOperationOfTheServer: they are asked for at once; of one that could not be asked for is told, and the
// others are done.
func TestSeveralAreOneOperationOfTheServer(t *testing.T) {
	shop, dns := clitest.Settled(), clitest.Settled()
	dns.Name = "dns"
	routes := many(t, "refresh", "shop", "dns")
	routes[clitest.AppsRoute] = clitest.Applications(shop, dns)
	d := clitest.NewDesk(t, routes)
	got := clitest.Run(t, NewRefresh, "shop", "dns", "shop", "--server", d.URL)
	got.Says(t, "a look at two", command.ExitFailed, "shop: is looked at again\n", "dns: ann may not refresh applications platform/dns\n", "1 of 2 applications to ask for\n")
	routes = many(t, "sync", "shop", "dns")
	routes[clitest.AppsRoute] = clitest.Applications(shop, dns)
	d = clitest.NewDesk(t, routes)
	clitest.Run(t, NewSync, "shop", "dns", "--prune", "--async", "--server", d.URL).Says(t, "a sync of two", command.ExitFailed, "dns: ann may not sync applications platform/dns\n")
	want := `POST /api/v1/applications/sync {"applications":[{"namespace":"argocd","name":"shop"},{"namespace":"argocd","name":"dns"}],"prune":true}`
	if asked := d.Asked(); len(asked) != 1 || asked[0] != want {
		t.Errorf("asked %v", asked)
	}
}

// TestThoseThatWereNotAskedForAreTold, with how the operation ended that left them out.
func TestThoseThatWereNotAskedForAreTold(t *testing.T) {
	shop, dns := clitest.Settled(), clitest.Settled()
	dns.Name = "dns"
	ended := &batch.Batch{ID: "op", State: batch.Canceled, Results: []batch.Result{
		{Key: view.Key{Namespace: "argocd", Name: "shop"}, Stage: batch.Asked}, {Key: view.Key{Namespace: "argocd", Name: "dns"}, Stage: batch.Skipped},
	}}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(shop, dns), "POST /api/v1/applications/refresh": ended, "GET /api/v1/operations/op": ended,
	})
	got := clitest.Run(t, NewRefresh, "shop", "dns", "--server", d.URL)
	got.Says(t, "somebody ended it", command.ExitFailed, "shop: is looked at again\n", "dns: was not asked for: the operation was "+string(batch.Canceled)+"\n")
}

// TestTerminatedOperations: nothing is asked where nothing runs, and what runs is awaited.
func TestTerminatedOperations(t *testing.T) {
	app := clitest.Settled()
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(app), "POST " + ofShop + "/terminate": func(w http.ResponseWriter, _ *http.Request) {
		app.Status.OperationState.Phase, app.Status.OperationState.Message = v1alpha1.OperationFailed, "operation terminated"
		w.WriteHeader(http.StatusNoContent)
	}})
	clitest.Run(t, NewTerminate, "shop", "--server", d.URL).Says(t, "nothing runs", command.ExitFailed, "application shop is busy with nothing")
	if asked := d.Asked(); len(asked) > 0 {
		t.Errorf("something was asked for: %v", asked)
	}
	app.Status.OperationState.Phase = v1alpha1.OperationRunning
	clitest.Run(t, NewTerminate, "shop", "--server", d.URL).Says(t, "it runs", command.ExitFine, "shop: operation terminated\n")
}

// TestActionsOfAServer are listed, and run on the one object that is meant.
func TestActionsOfAServer(t *testing.T) {
	web := api.Ref{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Shop()), "GET " + ofShop + "/tree": api.Tree{Nodes: []*api.Node{{Ref: web}}},
		"GET " + ofShop + "/objects/actions":  []api.Action{{Name: "restart", Permitted: true}, {Name: "resume", Disabled: true}},
		"POST " + ofShop + "/objects/actions": []api.Acted{{Ref: web, Verb: "update", Before: "spec: {replicas: 1}\n", After: "spec: {replicas: 3}\n", Changes: []api.Change{{Path: "spec.replicas", Old: 1, New: 3}}}},
	})
	run := func(args ...string) clitest.Left {
		return clitest.Run(t, NewActions, append(args, "--server", d.URL)...)
	}
	run("list", "shop", "-o", "name").Says(t, "names", command.ExitFine, "Deployment.apps/web restart\nDeployment.apps/web resume\n")
	run("list", "shop", "Deployment/web").Says(t, "a table", command.ExitFine, "restart  enabled", "resume   disabled")
	run("list", "shop", "Deployment/wbe").Says(t, "another object", command.ExitFailed, `the application has no live object Deployment/wbe; did you mean "Deployment/web"?`)
	run("run", "shop", "Deployment/web", "scale", "-p", "replicas=3", "-p", "note=a=b").Says(t, "it is done", command.ExitFine, "Deployment.apps shop/web changed\n")
	run("run", "shop", "Deployment/web", "scale", "-p", "replicas=3", "--dry-run").Says(t, "it is shown", command.ExitFine, "Deployment.apps shop/web changed (dry run)", "-  replicas: 1\n+  replicas: 3\n")
	want := "POST " + ofShop + `/objects/actions?group=apps&kind=Deployment&objectName=web&objectNamespace=shop&version=v1 {"action":"scale","parameters":{"note":"a=b","replicas":"3"}}`
	if asked := d.Asked(); len(asked) != 2 || asked[0] != want {
		t.Errorf("asked %q", asked)
	}
	for _, wrong := range []string{"replicas", "=3", ""} {
		run("run", "shop", "Deployment/web", "scale", "-p", wrong).Says(t, wrong, command.ExitUsage, "write NAME=VALUE, as in replicas=3")
	}
}

// TestActionsThatDoNothing say so, as a list without any does, for people and programs.
func TestActionsThatDoNothing(t *testing.T) {
	web := api.Ref{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Shop()), "GET " + ofShop + "/tree": api.Tree{Nodes: []*api.Node{{Ref: web}}},
		"GET " + ofShop + "/objects/actions": clitest.Refusal{Status: http.StatusForbidden, Detail: "not of this one"}, "POST " + ofShop + "/objects/actions": []api.Acted{},
	})
	run := func(args ...string) clitest.Left {
		return clitest.Run(t, NewActions, append(args, "--server", d.URL)...)
	}
	run("list", "shop").Says(t, "one that may not be asked for is warned of", command.ExitFine, "warning: "+d.URL+" does not let you: not of this one\n", "no actions\n")
	run("list", "shop", "-o", "json").Says(t, "programs get a list", command.ExitFine, "[]\n")
	run("run", "shop", "ConfigMap/web", "touch").Says(t, "nothing is no silence", command.ExitFine, "the action changes nothing\n")
}
