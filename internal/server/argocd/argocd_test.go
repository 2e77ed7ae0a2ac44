package argocd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/intake"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// world is a small installation behind the interfaces. Its users are called by
// what they may: reader, writer, and other, who has another project.
type world struct {
	api.Past
	session.Accounts

	index    *view.Index
	apps     map[view.Key]*v1alpha1.Application
	sync     api.Sync
	rollback api.Rollback
	deletion gitops.Propagation
	lines    string
	// broken is why objects cannot be read; log has what is logged.
	broken error
	log    strings.Builder
	// busy: nobody knows yet what somebody may do with one thing.
	busy bool
}

func newWorld() *world {
	w := &world{index: view.NewIndex(time.Unix(1, 0)), apps: map[view.Key]*v1alpha1.Application{}}
	w.put("web", "shop", "Synced")
	w.put("api", "shop", "OutOfSync")
	w.put("dns", "platform", "Synced")
	return w
}

// synced is the commit that Applications are at.
const synced = "abcabcabcabcabcabcabcabcabcabcabcabcabca"

func (w *world) put(name, project, sync string) {
	source := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/r.git", TargetRevision: "main"}
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name, Labels: map[string]string{"team": name}},
		Spec:       v1alpha1.ApplicationSpec{Project: project, Source: &source},
		Status: v1alpha1.ApplicationStatus{Sync: v1alpha1.SyncStatus{
			Status: v1alpha1.SyncStatusCode(sync), Revision: synced, ComparedTo: v1alpha1.ComparedTo{Source: source},
		}},
	}
	w.apps[view.Key{Namespace: "argocd", Name: name}] = app
	w.index.Put(view.RowOf(app, "prod"))
}

func (w *world) Application(_ context.Context, k view.Key) (*v1alpha1.Application, error) {
	return w.apps[k].DeepCopy(), nil
}

func (w *world) Version(_ context.Context, k view.Key) string {
	if app := w.apps[k]; app != nil {
		return app.ResourceVersion
	}
	return ""
}

func (w *world) ApplicationSets(context.Context) ([]v1alpha1.ApplicationSet, error) {
	set := v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "webs"}}
	set.Spec.Template.Spec.Project = "shop"
	return []v1alpha1.ApplicationSet{set}, nil
}

func (w *world) ApplicationSet(_ context.Context, k view.Key) (*v1alpha1.ApplicationSet, error) {
	return nil, gitops.Problemf(gitops.NotFound, "there is no ApplicationSet %s", k.Name)
}

func (w *world) Projects(context.Context) ([]v1alpha1.AppProject, error) {
	return []v1alpha1.AppProject{{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, {ObjectMeta: metav1.ObjectMeta{Name: "platform"}}}, nil
}

func (w *world) project(u *auth.User) (string, error) {
	switch {
	case u == nil:
		return "", gitops.Problemf(gitops.Refused, "nobody is signed in")
	case u.Name == "other":
		return "platform", nil
	}
	return "shop", nil
}

func (w *world) Visible(_ context.Context, u *auth.User) (func(*view.Row) bool, error) {
	project, err := w.project(u)
	return func(r *view.Row) bool { return r.Project == project }, err
}

func (w *world) Might(ctx context.Context, u *auth.User, a reach.Access) bool {
	return w.Permit(ctx, u, a) == nil
}

func (w *world) Permit(ctx context.Context, u *auth.User, a reach.Access) error {
	if w.busy && !reach.Patient(ctx) {
		return session.ErrBusy
	}
	project, err := w.project(u)
	if err != nil {
		return err
	}
	if a.Action != "get" && u.Name != "writer" || a.Project != "" && a.Project != project {
		return gitops.Problemf(gitops.Forbidden, "%s may not %s %s", u.Name, a.Action, a.Resource)
	}
	return nil
}

func (w *world) Tree(context.Context, *v1alpha1.Application) (*api.Tree, error) {
	pod := &api.Node{Ref: api.Ref{Version: "v1", Kind: "Pod", Namespace: "shop", Name: "web-0"}, UID: "2", Health: "Healthy", Info: "Running"}
	return &api.Tree{Nodes: []*api.Node{
		{Ref: api.Ref{Group: "apps", Version: "v1", Kind: "StatefulSet", Namespace: "shop", Name: "web"}, UID: "1", Children: []*api.Node{pod}},
		{Ref: api.Ref{Version: "v1", Kind: "Service", Namespace: "shop", Name: "web"}, Missing: true},
	}}, nil
}

func (w *world) Diff(context.Context, *v1alpha1.Application) ([]api.Difference, error) {
	return nil, nil
}

func (w *world) Object(_ context.Context, _ *v1alpha1.Application, r api.Ref) (*api.Object, error) {
	if w.broken != nil {
		return nil, w.broken
	}
	if r.Name == "refused" {
		return nil, gitops.Problemf(gitops.Refused, "the cluster refuses the engine")
	}
	return &api.Object{Ref: r, Live: fmt.Sprintf("kind: %q\n", r.Kind)}, nil
}

func (w *world) Events(_ context.Context, _ *v1alpha1.Application, r api.Ref) ([]api.Event, error) {
	return []api.Event{{Reason: "Of" + r.Kind, Count: 1}}, nil
}

func (w *world) Logs(context.Context, *v1alpha1.Application, api.LogQuery) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(w.lines)), nil
}

func (w *world) Sync(_ context.Context, _ *auth.User, of view.Granted, want api.Sync) (string, error) {
	k := of.Key
	w.sync = want
	w.apps[k].Operation = &v1alpha1.Operation{Info: []v1alpha1.Info{{Name: "request", Value: "mark"}}}
	return "mark", nil
}

func (w *world) Rollback(_ context.Context, _ *auth.User, of view.Granted, want api.Rollback) (string, error) {
	k := of.Key
	w.rollback = want
	w.apps[k].Operation = &v1alpha1.Operation{Info: []v1alpha1.Info{{Name: "request", Value: "mark"}}}
	return "mark", nil
}

func (w *world) Refresh(_ context.Context, _ *auth.User, of view.Granted, how api.Thoroughness) error {
	k := of.Key
	w.apps[k].ResourceVersion += "1"
	w.apps[k].Status.Summary.Images = []string{string(how)}
	return nil
}

func (w *world) Terminate(context.Context, *auth.User, view.Granted) error {
	return gitops.Problemf(gitops.NotReady, "busy with nothing")
}

func (w *world) Delete(_ context.Context, _ *auth.User, _ view.Granted, how gitops.Propagation) error {
	w.deletion = how
	return nil
}

// List has a sync of another Application that had the name among those of this one.
func (w *world) List(_ context.Context, namespace, name string, _ int) ([]history.Sync, error) {
	first, app := int64(0), history.App{Namespace: namespace, Name: name}
	before := app
	before.UID = "before"
	return []history.Sync{
		{ID: "no history", App: app, Project: "shop"}, {ID: "another's", App: before, Project: "shop", History: &first},
		{ID: "the first", App: app, Project: "shop", History: &first},
	}, nil
}

func (*world) Older(context.Context, string, string, history.SyncPlace, int) ([]history.Sync, error) {
	return nil, nil
}

func (w *world) Managed(context.Context, *v1alpha1.Application) ([]Managed, error) {
	return []Managed{{Kind: "Service", Name: "web", Live: "null"}, {Kind: "ConfigMap", Name: "web"}}, nil
}

func (w *world) Manifests(_ context.Context, _ *v1alpha1.Application, revisions []string) (*Manifests, error) {
	return &Manifests{Manifests: []string{}, Revisions: revisions}, nil
}

func (w *world) Commit(_ context.Context, _ *v1alpha1.Application, _ int, revision string) (*gitops.Commit, error) {
	return &gitops.Commit{Author: "ann", Message: "at " + revision}, nil
}

// doer carries out actions.
type doer struct{ *world }

func (doer) Actions(context.Context, *v1alpha1.Application, api.Ref) ([]api.Action, error) {
	return nil, nil
}
func (doer) Act(context.Context, *auth.User, *v1alpha1.Application, api.Act) ([]api.Acted, error) {
	return []api.Acted{}, nil
}
func (w *world) Actions(context.Context, *v1alpha1.Application, api.Ref) ([]Action, error) {
	return []Action{{Name: "restart"}}, nil
}

func (w *world) Known(string) bool { return true }

func (w *world) Verify(_ context.Context, name, password string) (*auth.User, error) {
	if password != "right" {
		return nil, gitops.Problemf(gitops.Refused, "the name or the password is wrong")
	}
	return &auth.User{Name: name}, nil
}

func (w *world) handler(t testing.TB) http.Handler {
	t.Helper()
	return w.handlerWith(t, w)
}

// handlerWith is the handler over other Applications and sets.
func (w *world) handlerWith(t testing.TB, all api.Applications) http.Handler {
	t.Helper()
	signer, err := token.New([]byte(strings.Repeat("k", 32)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h := New(Options{
		Options: api.Options{
			Version: "1", Log: slog.New(slog.NewTextHandler(&w.log, nil)), Namespace: "argocd", Index: w.index, Rights: w, Applications: all, Look: w, Operate: w, Act: doer{w}, Past: w, Door: session.NewDoor(&session.Gate{Signer: signer, Accounts: w}),
			Clusters: func() []clusters.Health {
				return []clusters.Health{{Name: "prod", Server: "https://prod", Secret: "cluster-prod", Reachable: true}, {Name: "dev", Server: "https://dev", Problem: "no answer"}}
			},
		},
		Details:      w,
		Versions:     w,
		MaskSpec:     maskedSpec,
		Repositories: func() []Repository { return []Repository{{Repo: "https://git.example.com/r"}} },
		Settings:     func(context.Context) Settings { return Settings{URL: "https://cd.example.com"} },
	})
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if name := r.Header.Get("X-Test-User"); name != "" {
			r = r.WithContext(auth.With(r.Context(), &auth.User{Name: name, Claims: map[string]any{"iss": "argocd"}}))
		}
		h.ServeHTTP(rw, r)
	})
}

// maskedSpec masks the names of Applications.
func maskedSpec(spec *v1alpha1.ApplicationSetSpec) (any, error) {
	masked := *spec
	masked.Template.Name = "masked"
	return &masked, nil
}

func send(t *testing.T, h http.Handler, user, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, Prefix+path, strings.NewReader(body))
	r.Header.Set("X-Test-User", user)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if later := w.Code == http.StatusTooManyRequests || w.Code == http.StatusServiceUnavailable; later != (w.Header().Get("Retry-After") != "") {
		t.Errorf("%d says to come again after %q", w.Code, w.Header().Get("Retry-After"))
	}
	return w
}

// decoded is a good answer.
func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) (out T) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("got %d: %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return out
}

// cases has a request of each route, with what nobody, a reader, a writer and
// somebody of another project get.
func cases() map[string]routeCase {
	const app = "/v1/applications/web"
	all, reads, writes := [4]int{200, 200, 200, 200}, [4]int{401, 200, 200, 403}, [4]int{401, 403, 200, 403}
	own := [4]int{401, 200, 200, 200} // each sees what is theirs
	const object = "?kind=Service&resourceName=web&namespace=shop&version=v1"
	return map[string]routeCase{
		"version":                    {"GET", "/version", "/version", "", all},
		"sign in":                    {"POST", "/v1/session", "/v1/session", `{"username":"admin","password":"right"}`, all},
		"sign out":                   {"DELETE", "/v1/session", "/v1/session", "", all},
		"user info":                  {"GET", "/v1/session/userinfo", "/v1/session/userinfo", "", all},
		"can I":                      {"GET", "/v1/account/can-i/{resource}/{action}/{object...}", "/v1/account/can-i/applications/sync/shop/web", "", own},
		"settings":                   {"GET", "/v1/settings", "/v1/settings", "", all},
		"list":                       {"GET", "/v1/applications", "/v1/applications", "", own},
		"get":                        {"GET", "/v1/applications/{name}", app, "", reads},
		"get with a refresh":         {"GET", "", app + "?refresh=hard", "", reads},
		"get of nobody":              {"GET", "", "/v1/applications/none", "", [4]int{401, 403, 403, 403}},
		"get of nobody in a project": {"GET", "", "/v1/applications/none?project=shop", "", [4]int{401, 404, 404, 403}},
		"get in another project":     {"GET", "", app + "?project=platform", "", [4]int{401, 403, 403, 404}},
		"get in another namespace":   {"GET", "", app + "?appNamespace=elsewhere", "", [4]int{401, 403, 403, 403}},
		"delete":                     {"DELETE", "/v1/applications/{name}", app, "", writes},
		"sync":                       {"POST", "/v1/applications/{name}/sync", app + "/sync", "{}", writes},
		"sync without a body":        {"POST", "", app + "/sync", "", writes},
		"rollback":                   {"POST", "/v1/applications/{name}/rollback", app + "/rollback", `{"id":0}`, writes},
		"rollback to nothing":        {"POST", "", app + "/rollback", `{"id":7}`, [4]int{401, 403, 400, 403}},
		"terminate":                  {"DELETE", "/v1/applications/{name}/operation", app + "/operation", "", [4]int{401, 403, 400, 403}},
		"tree":                       {"GET", "/v1/applications/{name}/resource-tree", app + "/resource-tree", "", reads},
		"managed":                    {"GET", "/v1/applications/{name}/managed-resources", app + "/managed-resources", "", reads},
		"manifests":                  {"GET", "/v1/applications/{name}/manifests", app + "/manifests", "", reads},
		"manifests that were":        {"GET", "", app + "/manifests?revision=" + synced, "", reads},
		"manifests of a branch":      {"GET", "", app + "/manifests?revision=refs/pull/7/head", "", writes},
		"manifests of others":        {"GET", "", app + "/manifests?revisions=def&sourcePositions=1", "", writes},
		"resource":                   {"GET", "/v1/applications/{name}/resource", app + "/resource" + object, "", reads},
		"resource without a name":    {"GET", "", app + "/resource", "", [4]int{401, 400, 400, 400}},
		"a cluster that refuses":     {"GET", "", app + "/resource?kind=Service&resourceName=refused", "", [4]int{401, 400, 400, 403}},
		"actions":                    {"GET", "/v1/applications/{name}/resource/actions", app + "/resource/actions" + object, "", reads},
		"run an action":              {"POST", "/v1/applications/{name}/resource/actions", app + "/resource/actions" + object, `"restart"`, writes},
		"run no action":              {"POST", "", app + "/resource/actions" + object, "", [4]int{401, 400, 400, 400}},
		"run an action with more":    {"POST", "/v1/applications/{name}/resource/actions/v2", app + "/resource/actions/v2", `{"kind":"Service","resourceName":"web","namespace":"shop","version":"v1","action":"scale","resourceActionParameters":[{"name":"replicas","value":"3"}]}`, writes},
		"events":                     {"GET", "/v1/applications/{name}/events", app + "/events", "", reads},
		"logs":                       {"GET", "/v1/applications/{name}/logs", app + "/logs?podName=web-0&namespace=shop", "", reads},
		"logs of a pod":              {"GET", "/v1/applications/{name}/pods/{pod}/logs", app + "/pods/web-0/logs?namespace=shop", "", reads},
		"commit":                     {"GET", "/v1/applications/{name}/revisions/{revision}/metadata", app + "/revisions/" + synced + "/metadata", "", reads},
		"commit of others":           {"GET", "", app + "/revisions/def/metadata", "", [4]int{401, 404, 404, 403}},
		"sets":                       {"GET", "/v1/applicationsets", "/v1/applicationsets", "", own},
		"set":                        {"GET", "/v1/applicationsets/{name}", "/v1/applicationsets/webs", "", reads},
		"projects":                   {"GET", "/v1/projects", "/v1/projects", "", own},
		"project":                    {"GET", "/v1/projects/{name}", "/v1/projects/shop", "", reads},
		"clusters":                   {"GET", "/v1/clusters", "/v1/clusters", "", own},
		"cluster":                    {"GET", "/v1/clusters/{id}", "/v1/clusters/https%3A%2F%2Fprod", "", own},
		"cluster by name":            {"GET", "", "/v1/clusters/prod?id.type=name", "", own},
		"cluster that is not there":  {"GET", "", "/v1/clusters/none", "", [4]int{401, 403, 403, 403}},
		"repositories":               {"GET", "/v1/repositories", "/v1/repositories", "", own},
		"repository":                 {"GET", "/v1/repositories/{repo}", "/v1/repositories/https%3A%2F%2Fgit.example.com%2Fr", "", own},
		"what is not served":         {"PUT", "", app, "{}", [4]int{501, 501, 501, 501}},
		"no endpoint":                {"GET", "", "/v1/none", "", [4]int{501, 501, 501, 501}},
		"a wrong value":              {"DELETE", "", app + "?cascade=perhaps", "", [4]int{401, 403, 400, 403}},
		"a wrong body":               {"POST", "", app + "/sync", "[", [4]int{401, 400, 400, 400}},
		"a long query":               {"GET", "", "/v1/applications?name=" + strings.Repeat("a", maxQuery), "", [4]int{401, 400, 400, 400}},
		"a large body":               {"POST", "", app + "/sync", `{"revision":"` + strings.Repeat("a", intake.Most) + `"}`, [4]int{401, 400, 400, 400}},
	}
}

type routeCase struct {
	method, route, path, body string
	want                      [4]int
}

var codesByStatus = map[int][]code{400: {invalid, precondition}, 401: {unauthenticated}, 403: {denied}, 404: {notFound}, 501: {unimplemented}}

func TestRoutesByRights(t *testing.T) {
	for name, tc := range cases() {
		t.Run(name, func(t *testing.T) {
			for i, user := range []string{"", "reader", "writer", "other"} {
				w := send(t, newWorld().handler(t), user, tc.method, tc.path, tc.body)
				if w.Code != tc.want[i] {
					t.Errorf("%q: %d, want %d: %s", user, w.Code, tc.want[i], w.Body)
				}
				if w.Code == http.StatusOK {
					continue
				}
				var p struct {
					Error, Message string
					Code           code
				}
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error == "" || p.Message != p.Error || !slices.Contains(codesByStatus[w.Code], p.Code) {
					t.Errorf("%q: the error is not in Argo CD's form: %s", user, w.Body)
				}
			}
		})
	}
}

// What nobody foresaw is told to the log alone, and who goes away is no failure.
func TestCausesAreLogged(t *testing.T) {
	const at = "/v1/applications/web/resource?kind=Service&resourceName=web&namespace=shop&version=v1"
	w := newWorld()
	w.broken = errors.New("the disk is full")
	got := send(t, w.handler(t), "reader", "GET", at, "")
	if got.Code != http.StatusInternalServerError || strings.Contains(got.Body.String(), "disk") || !strings.Contains(w.log.String(), "the disk is full") {
		t.Errorf("%d %s, in the log %q", got.Code, got.Body, &w.log)
	}
	w = newWorld()
	w.broken = fmt.Errorf("cannot look: %w", context.Canceled)
	if got := send(t, w.handler(t), "reader", "GET", at, ""); got.Code != http.StatusServiceUnavailable || w.log.Len() > 0 {
		t.Errorf("%d %s, in the log %q", got.Code, got.Body, &w.log)
	}
}

// What a request names is bounded, and the answer says what is too much.
func TestInputsAreBounded(t *testing.T) {
	const app = "/v1/applications/web"
	long, item := strings.Repeat("a", maxText+1), `{"name":"a","value":"b"}`
	cases := map[string]struct{ method, path, body, want string }{
		"revision of a source": {"GET", app + "/manifests?sourcePositions=1&revisions=" + long, "", "revision 1 of 1 has more than"},
		"revision of a sync":   {"POST", app + "/sync", `{"revisions":["` + long + `"],"sourcePositions":[1]}`, "a revision has more than"},
		"option":               {"POST", app + "/sync", `{"syncOptions":{"items":["` + long + `"]}}`, "syncOptions has more than"},
		"name of an action":    {"POST", app + "/resource/actions?kind=Service&resourceName=web", `"` + long + `"`, "a name in the request has more than"},
		"parameters":           {"POST", app + "/resource/actions/v2", `{"kind":"Service","resourceName":"web","action":"scale","resourceActionParameters":[` + strings.Repeat(item+",", api.MaxParameters) + item + `]}`, "resourceActionParameters"},
		"parameter":            {"POST", app + "/resource/actions/v2", `{"kind":"Service","resourceName":"web","action":"scale","resourceActionParameters":[{"name":"a","value":"` + strings.Repeat(long, 8) + `"}]}`, "a parameter of action scale has more than"},
	}
	for name, tc := range cases {
		got := send(t, newWorld().handler(t), "writer", tc.method, tc.path, tc.body)
		if got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), tc.want) {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
}

// The page names the endpoints that there are, and the tests try each.
func TestRoutesAreDocumentedAndTried(t *testing.T) {
	page, err := os.ReadFile("../../../docs/how-to/argocd-api.md")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{"GET /v1/stream/applications": true} // it does not end by itself
	for _, tc := range cases() {
		tried[tc.method+" "+tc.route] = true
	}
	rows := 0
	for _, r := range routes() {
		if !tried[r.method+" "+r.path] {
			t.Errorf("no test asks %s %s", r.method, r.path)
		}
		if !strings.Contains(string(page), "| `"+r.method+" "+strings.TrimPrefix(r.path, "/v1")+"` |") {
			t.Errorf("the page does not have a row for %s %s", r.method, r.path)
		}
		rows++
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `GET ") || strings.HasPrefix(line, "| `POST ") || strings.HasPrefix(line, "| `DELETE ") {
			rows--
		}
	}
	if rows != 0 {
		t.Errorf("the page has %d endpoints too many", -rows)
	}
}

func FuzzQuery(f *testing.F) {
	h := newWorld().handler(f)
	var paths []string
	for _, tc := range cases() {
		if path, _, _ := strings.Cut(tc.path, "?"); tc.method == http.MethodGet {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	f.Add("name=web&selector=a+in+(b)&fields=-items.status,items.metadata.name&refresh=hard")
	f.Add("podName=p&namespace=n&tailLines=-1&sinceSeconds=99999999999999&filter=!x&follow=maybe")
	f.Add("kind=Service&resourceName=web&revision=x&revisions=a&sourcePositions=9&sourceIndex=7&fields=..,-,a..b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range paths {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+path, nil)
			r.URL.RawQuery = text
			r.Header.Set("X-Test-User", "reader")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code >= http.StatusInternalServerError && w.Code != http.StatusNotImplemented {
				t.Errorf("%s?%q: %d: %s", path, text, w.Code, w.Body)
			}
		}
	})
}

func FuzzSync(f *testing.F) {
	h := newWorld().handler(f)
	f.Add(`{"revision":"x","revisions":["a"],"sourcePositions":[1],"strategy":{"apply":{"force":true}},"syncOptions":{"items":["a=b"]},"retryStrategy":{"limit":3}}`)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Prefix+"/v1/applications/web/sync", strings.NewReader(body))
		r.Header.Set("X-Test-User", "writer")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError && w.Code != http.StatusNotImplemented {
			t.Errorf("%q: %d: %s", body, w.Code, w.Body)
		}
	})
}

// What goes on and on is told by its route: an Application may be called as one.
func TestStreams(t *testing.T) {
	for path, want := range map[string]bool{
		"/v1/stream/applications":              true,
		"/v1/applications/web/logs":            true,
		"/v1/applications/web/pods/web-0/logs": true,
		"/v1/applications/logs":                false,
		"/v1/projects/logs":                    false,
		"/v1/applications/web/resource-tree":   false,
	} {
		if got := Streams(httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+path, nil)); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
