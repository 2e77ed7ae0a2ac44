package argocd

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	streams "github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/test/await"
)

type appList struct {
	Metadata struct{ ResourceVersion string }
	Items    []v1alpha1.Application
}

func TestListFilters(t *testing.T) {
	cases := map[string]struct{ query, want string }{
		"all that may be read": {"", "api web"},
		"name":                 {"?name=web", "web"},
		"project":              {"?projects=shop&project=none", "api web"},
		"another project":      {"?project=platform", ""},
		"selector":             {"?selector=team%3Dapi", "api"},
		"repository":           {"?repo=https://git.example.com/r", "api web"},
		"another repository":   {"?repo=https://git.example.com/s", ""},
		"namespace":            {"?appNamespace=elsewhere", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := decoded[appList](t, send(t, newWorld().handler(t), "reader", "GET", "/v1/applications"+tc.query, ""))
			var names []string
			for i := range got.Items {
				names = append(names, got.Items[i].Name)
			}
			if strings.Join(names, " ") != tc.want || got.Metadata.ResourceVersion == "" {
				t.Errorf("got %q of version %q, want %q", names, got.Metadata.ResourceVersion, tc.want)
			}
		})
	}
}

func TestFields(t *testing.T) {
	cases := map[string]struct{ path, want string }{
		"of a list": {"/v1/applications?name=web&fields=items.metadata.name,items.status.sync.status", `{"items":[{"metadata":{"name":"web"},"status":{"sync":{"status":"Synced"}}}]}`},
		"of one":    {"/v1/applications/web?fields=spec.project", `{"spec":{"project":"shop"}}`},
		"all but":   {"/v1/applications?name=web&fields=-metadata,items.spec,items.status,items.metadata.labels,items.metadata.creationTimestamp", `{"items":[{"metadata":{"name":"web","namespace":"argocd"}}]}`},
		"of none":   {"/v1/applications?fields=other", `{}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := send(t, newWorld().handler(t), "reader", "GET", tc.path, "")
			if got := strings.TrimSpace(w.Body.String()); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestTreeNamesOwners(t *testing.T) {
	type tree struct{ Nodes []map[string]any }
	got := decoded[tree](t, send(t, newWorld().handler(t), "reader", "GET", "/v1/applications/web/resource-tree", ""))
	want := []map[string]any{
		{"group": "apps", "version": "v1", "kind": "StatefulSet", "namespace": "shop", "name": "web", "uid": "1"},
		{
			"version": "v1", "kind": "Pod", "namespace": "shop", "name": "web-0", "uid": "2", "health": map[string]any{"status": "Healthy"},
			"info":       []any{map[string]any{"name": "Status", "value": "Running"}},
			"parentRefs": []any{map[string]any{"group": "apps", "kind": "StatefulSet", "namespace": "shop", "name": "web", "uid": "1"}},
		},
		{"version": "v1", "kind": "Service", "namespace": "shop", "name": "web", "health": map[string]any{"status": "Missing"}},
	}
	if d := cmp.Diff(want, got.Nodes); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestManagedResourcesAreFiltered(t *testing.T) {
	type list struct{ Items []Managed }
	got := decoded[list](t, send(t, newWorld().handler(t), "reader", "GET", "/v1/applications/web/managed-resources?kind=Service", ""))
	if len(got.Items) != 1 || got.Items[0].Live != "null" {
		t.Errorf("got %+v", got.Items)
	}
}

func TestObjectAndItsEvents(t *testing.T) {
	h := newWorld().handler(t)
	manifest := decoded[map[string]string](t, send(t, h, "reader", "GET", "/v1/applications/web/resource?kind=Pod&resourceName=web-0", ""))
	if manifest["manifest"] != `{"kind":"Pod"}` {
		t.Errorf("got %v", manifest)
	}
	type events struct {
		Items []struct {
			Reason         string
			InvolvedObject struct{ Kind string }
		}
	}
	got := decoded[events](t, send(t, h, "reader", "GET", "/v1/applications/web/events?resourceName=web-0&resourceNamespace=shop&resourceUID=2", ""))
	if len(got.Items) != 1 || got.Items[0].Reason != "OfPod" || got.Items[0].InvolvedObject.Kind != "Pod" {
		t.Errorf("events of an object by its UID: %+v", got.Items)
	}
	if w := send(t, h, "reader", "GET", "/v1/applications/web/events?resourceName=web-0&resourceNamespace=shop&resourceUID=9", ""); w.Code != http.StatusNotFound {
		t.Errorf("events of another object: %d", w.Code)
	}
}

func TestManifestsAtRevisions(t *testing.T) {
	got := decoded[Manifests](t, send(t, newWorld().handler(t), "writer", "GET", "/v1/applications/web/manifests?revisions=dev&sourcePositions=1", ""))
	if d := cmp.Diff([]string{"dev"}, got.Revisions); d != "" {
		t.Error(d)
	}
	if w := send(t, newWorld().handler(t), "writer", "GET", "/v1/applications/web/manifests?revisions=dev&sourcePositions=2", ""); w.Code != http.StatusBadRequest {
		t.Errorf("a source that is not there: %d", w.Code)
	}
	long := strings.Repeat("x", maxRevision+1)
	for _, query := range []string{"revision=" + long, "revisions=" + long + "&sourcePositions=1"} {
		if w := send(t, newWorld().handler(t), "writer", "GET", "/v1/applications/web/manifests?"+query, ""); w.Code != http.StatusBadRequest {
			t.Errorf("a revision of %d characters: %d", len(long), w.Code)
		}
	}
}

func TestRefreshIsWaitedFor(t *testing.T) {
	got := decoded[v1alpha1.Application](t, send(t, newWorld().handler(t), "reader", "GET", "/v1/applications/web?refresh=hard", ""))
	if len(got.Status.Summary.Images) != 1 || got.Status.Summary.Images[0] != "hard" {
		t.Errorf("the answer is from before the refresh: %+v", got.Status.Summary)
	}
}

// leaving has Applications that leave their project when they have been read once.
type leaving struct {
	*world

	read bool
}

func (l *leaving) Application(ctx context.Context, k view.Key) (*v1alpha1.Application, error) {
	app, err := l.world.Application(ctx, k)
	if l.read {
		app.Spec.Project = "platform"
	}
	l.read = true
	return app, err
}

// Who waits for a refresh sees an Application as long as it is of the project by which
// they were found to see it.
func TestRefreshOfWhatLeavesItsProject(t *testing.T) {
	w := newWorld()
	got := send(t, w.handlerWith(t, &leaving{world: w}), "reader", "GET", "/v1/applications/web?refresh=hard", "")
	if got.Code != http.StatusForbidden {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
}

func TestSyncIsAskedForInTheProductsWords(t *testing.T) {
	three := int64(3)
	cases := map[string]struct {
		reason, body string
		want         api.Sync
	}{
		"all": {
			"what both have is handed on",
			`{"prune":true,"dryRun":true,"strategy":{"apply":{"force":true}},"resources":[{"group":"apps","kind":"Deployment","name":"web"}],"syncOptions":{"items":["Replace=true"]},"retryStrategy":{"limit":3},"revision":"main"}`,
			api.Sync{Prune: true, DryRun: true, NoHooks: true, Force: true, Revision: "main", Options: []string{"Replace=true"}, Retries: &three, Resources: []api.Ref{{Group: "apps", Kind: "Deployment", Name: "web"}}},
		},
		"hooks":     {"the other strategy runs hooks", `{"strategy":{"hook":{"force":true}}}`, api.Sync{Force: true}},
		"revisions": {"one source has one revision", `{"revisions":["v2"],"sourcePositions":[1]}`, api.Sync{Revision: "v2"}},
		"unknown":   {"what is not known is passed over", `{"infos":[{"name":"a"}],"colour":"red"}`, api.Sync{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			app := decoded[v1alpha1.Application](t, send(t, w.handler(t), "writer", "POST", "/v1/applications/web/sync", tc.body))
			if d := cmp.Diff(tc.want, w.sync); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if app.Operation == nil {
				t.Error("the answer does not have the operation")
			}
		})
	}
	for name, body := range map[string]string{"manifests": `{"manifests":["{}"]}`, "positions": `{"revisions":["a"]}`, "no such source": `{"revisions":["a"],"sourcePositions":[2]}`} {
		if w := send(t, newWorld().handler(t), "writer", "POST", "/v1/applications/web/sync", body); w.Code < 400 || w.Code == http.StatusInternalServerError {
			t.Errorf("%s: %d: %s", name, w.Code, w.Body)
		}
	}
}

func TestRollbackFindsTheSync(t *testing.T) {
	w := newWorld()
	decoded[v1alpha1.Application](t, send(t, w.handler(t), "writer", "POST", "/v1/applications/web/rollback", `{"id":0,"prune":true}`))
	if want := (api.Rollback{Sync: "the first", Prune: true}); w.rollback != want {
		t.Errorf("got %+v, want %+v", w.rollback, want)
	}
}

func TestDeletion(t *testing.T) {
	for query, want := range map[string]gitops.Propagation{
		"": gitops.DeleteForeground, "?cascade=true&propagationPolicy=background": gitops.DeleteBackground, "?cascade=false": gitops.DeleteOrphan, "?cascade=false&propagationPolicy=foreground": gitops.DeleteOrphan, "?propagationPolicy=orphan": "",
	} {
		w := newWorld()
		send(t, w.handler(t), "writer", "DELETE", "/v1/applications/web"+query, "")
		if w.deletion != want {
			t.Errorf("%s: %q, want %q", query, w.deletion, want)
		}
	}
}

// Where Kubernetes could not be asked yet, nobody is told that they may not: they are
// asked to come again.
func TestRightsThatAreNotKnownYet(t *testing.T) {
	w := newWorld()
	w.busy = true
	for _, path := range []string{"/account/can-i/applications/sync/shop/web", "/applications/none", "/applications/web?project=platform", "/applicationsets/webs"} {
		if got := send(t, w.handler(t), "reader", "GET", "/v1"+path, ""); got.Code != http.StatusTooManyRequests {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
	if got := send(t, w.handler(t), "reader", "GET", "/v1/applicationsets", ""); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "webs") {
		t.Errorf("a list: %d %s", got.Code, got.Body)
	}
}

func TestCanI(t *testing.T) {
	for user, want := range map[string]string{"writer": "yes", "reader": "no", "other": "no"} {
		got := decoded[map[string]string](t, send(t, newWorld().handler(t), user, "GET", "/v1/account/can-i/applications/sync/shop/web", ""))
		if got["value"] != want {
			t.Errorf("%s: %s, want %s", user, got["value"], want)
		}
	}
	cases := map[string]struct {
		resource, object string
		want             reach.Access
	}{
		"application":                        {"applications", "shop/web", reach.Access{Resource: "applications", Project: "shop", Name: "web"}},
		"application in a namespace":         {"applications", "shop/team/web", reach.Access{Resource: "applications", Project: "shop", Namespace: "team", Name: "web"}},
		"all":                                {"applications", "*", reach.Access{Resource: "applications", Project: "*", Name: "*"}},
		"cluster, whose address has slashes": {"clusters", "https://prod", reach.Access{Resource: "clusters", Name: "https://prod"}},
	}
	for name, tc := range cases {
		if got := accessOf(tc.resource, "", tc.object); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

func TestSession(t *testing.T) {
	h := newWorld().handler(t)
	got := decoded[map[string]string](t, send(t, h, "", "POST", "/v1/session", `{"username":"admin","password":"right"}`))
	if len(strings.Split(got["token"], ".")) != 3 {
		t.Errorf("the token is %q", got["token"])
	}
	for _, body := range []string{`{"username":"admin","password":"wrong"}`, `{}`, `{"username":"` + strings.Repeat("a", maxCredential+1) + `","password":"right"}`} {
		if w := send(t, h, "", "POST", "/v1/session", body); w.Code != http.StatusUnauthorized {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	}
	info := decoded[map[string]any](t, send(t, h, "reader", "GET", "/v1/session/userinfo", ""))
	if info["loggedIn"] != true || info["username"] != "reader" || info["iss"] != "argocd" {
		t.Errorf("got %v", info)
	}
}

// Scripts send their token as a cookie, too; a page of another site may not.
func TestCookies(t *testing.T) {
	cases := map[string]struct {
		header, site, want string
		code               int
	}{
		"a script":           {"", "", "Bearer mine", 200},
		"the header counts":  {"Bearer other", "", "Bearer other", 200},
		"a page of its own":  {"", "same-origin", "Bearer mine", 200},
		"a page of somebody": {"", "cross-site", "", 403},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			h := Cookies(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }), Refuse)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Prefix+"/v1/applications/web/sync", nil)
			r.AddCookie(&http.Cookie{Name: cookie, Value: "mine"})
			if tc.header != "" {
				r.Header.Set("Authorization", tc.header)
			}
			if tc.site != "" {
				r.Header.Set("Sec-Fetch-Site", tc.site)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got != tc.want || w.Code != tc.code {
				t.Errorf("%q with %d, want %q with %d", got, w.Code, tc.want, tc.code)
			}
		})
	}
}

func TestLogLines(t *testing.T) {
	w := newWorld()
	w.lines = "2026-01-02T03:04:05.5Z one\n2026-01-02T03:04:06Z two\nwithout a time\n2026-01-02T03:04:06Z " + strings.Repeat("x", 2*maxLine) + "\n"
	var got []string
	for line := range strings.Lines(send(t, w.handler(t), "reader", "GET", "/v1/applications/web/logs?podName=web-0&namespace=shop&filter=!two", "").Body.String()) {
		var e struct{ Result entry }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Result.Exact+" "+e.Result.Content[:min(len(e.Result.Content), 15)])
		if e.Result.Last != (len(got) == 6) {
			t.Errorf("line %d of 6 is the last: %v", len(got), e.Result.Last)
		}
	}
	x := "2026-01-02T03:04:06Z " + strings.Repeat("x", 15)
	want := []string{"2026-01-02T03:04:05.5Z one", " without a time", x, x, x, " "}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Nothing of what opens a cluster or a repository is in an answer, and no
// Application that may not be read in a count.
func TestClustersAndRepositories(t *testing.T) {
	h := newWorld().handler(t)
	w := send(t, h, "reader", "GET", "/v1/clusters?name=prod", "")
	type list struct{ Items []cluster }
	got := decoded[list](t, w)
	if len(got.Items) != 1 || got.Items[0].ConnectionState.Status != "Successful" || got.Items[0].Info.ApplicationsCount != 2 || strings.Contains(w.Body.String(), "cluster-prod") {
		t.Errorf("got %s", w.Body)
	}
	one := decoded[cluster](t, send(t, h, "reader", "GET", "/v1/clusters/https%3A%2F%2Fdev", ""))
	if one.Name != "dev" || one.ConnectionState.Message != "no answer" {
		t.Errorf("got %+v", one)
	}
}

// watching reads a stream's changes as TYPE NAME.
type watching struct {
	t     *testing.T
	lines *bufio.Scanner
	end   context.CancelFunc
}

func (w *world) watch(t *testing.T, query string) *watching {
	t.Helper()
	server := httptest.NewServer(w.handler(t))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+Prefix+"/v1/stream/applications"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Test-User", "reader")
	resp, err := server.Client().Do(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return &watching{t, bufio.NewScanner(resp.Body), cancel}
}

func (w *watching) next(want string) {
	w.t.Helper()
	for more := true; more; more = w.lines.Text() == "" { // empty lines tell that it is alive
		if !w.lines.Scan() {
			w.t.Fatalf("the stream ended before %s: %v", want, w.lines.Err())
		}
	}
	var got struct{ Result change }
	if err := json.Unmarshal(w.lines.Bytes(), &got); err != nil {
		w.t.Fatal(err)
	}
	if is := got.Result.Type + " " + got.Result.Application.Name; is != want {
		w.t.Errorf("got %s, want %s", is, want)
	}
}

func TestWatch(t *testing.T) {
	world := newWorld()
	all := world.watch(t, "")
	all.next("ADDED api")
	all.next("ADDED web")
	version := decoded[appList](t, send(t, world.handler(t), "reader", "GET", "/v1/applications", "")).Metadata.ResourceVersion
	world.put("web", "shop", "OutOfSync")
	all.next("MODIFIED web")
	world.put("dns", "platform", "OutOfSync")
	world.put("new", "shop", "Synced")
	all.next("ADDED new")
	world.index.Drop(view.Key{Namespace: "argocd", Name: "api"})
	all.next("DELETED api")
	all.end()

	since := world.watch(t, "?name=api&resourceVersion="+version)
	since.next("DELETED api")
	since.end()
	unknown := world.watch(t, "?name=web&resourceVersion=7")
	unknown.next("ADDED web")
}

// A stream that has nothing to say says so in empty lines.
func TestWatchBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), streams.Beat*5/2)
		defer cancel()
		w := httptest.NewRecorder()
		f := &following{out: &lines{to: streams.To(w)}}
		if f.pause(ctx, nil) || w.Body.String() != "\n\n" || !w.Flushed {
			t.Errorf("in two beats and a half: %q, sent %v", w.Body, w.Flushed)
		}
	})
}

func TestWatchIsForReaders(t *testing.T) {
	if w := send(t, newWorld().handler(t), "", "GET", "/v1/stream/applications", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("nobody gets %d", w.Code)
	}
}
