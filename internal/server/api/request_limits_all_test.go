package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/intake"
	"github.com/causeway-gitops/causeway/test/await"
)

// route is an operation of the document, with parameters that lead somewhere.
type route struct {
	// pattern is the path with the names of its parameters.
	method, path, pattern string
	query                 []string
	// given are values for parameters of the query that have to be there.
	given url.Values
	// application tells that the route is below one, and body that it reads one.
	application, body bool
}

// samples are good values for parameters of queries.
var samples = map[string]string{
	"kind": "Service", "objectName": "web", "podNamespace": "n", "pod": "p", "in": "label", "name": "region", "product": "argocd/shop/web", "from": "dev", "to": "prod", "q": "web", "object": "Service/web", "path": "spec.type",
}

// places are what parameters of paths are filled with.
var places = strings.NewReplacer("{namespace}", "argocd", "{name}", "web-dev", "{id}", "1", "{other}", "1")

// routes are all that there are, whoever added them.
func routes() []route {
	a := humago.New(http.NewServeMux(), config("1"))
	register(a, &server{})
	var out []route
	for path, item := range a.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			r := route{
				method: op.Method, path: places.Replace(strings.TrimPrefix(path, Prefix)), pattern: strings.TrimPrefix(path, Prefix),
				given: url.Values{}, application: strings.HasPrefix(path, Prefix+"/applications/{namespace}/{name}"), body: op.RequestBody != nil,
			}
			for _, p := range op.Parameters {
				if p.In != "query" {
					continue
				}
				r.query = append(r.query, p.Name)
				if p.Required {
					r.given.Set(p.Name, samples[p.Name])
				}
			}
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b route) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return out
}

// request asks in a way that ends: a stream is left at once.
func request(ctx context.Context, h http.Handler, user, method, path, query string, body io.Reader) *httptest.ResponseRecorder {
	ctx, cancel := context.WithCancel(ctx)
	if path == "/events" {
		cancel()
	}
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, "/", body)
	r.URL = &url.URL{Scheme: "http", Host: "causeway.example.com", Path: Prefix + path, RawQuery: query}
	if unescaped, err := url.PathUnescape(Prefix + path); err == nil {
		r.URL.Path, r.URL.RawPath = unescaped, Prefix+path
	}
	r.Header.Set("X-Test-User", user)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Who goes away while they are waited for is no failure: nothing is logged.
func TestWhoGoesAwayIsNoFailure(t *testing.T) {
	for _, tc := range []struct {
		err    error
		code   int
		logged bool
	}{
		{fmt.Errorf("cannot look: %w", context.Canceled), http.StatusServiceUnavailable, false},
		{errors.New("the disk is full"), http.StatusInternalServerError, true},
	} {
		var log strings.Builder
		w := newWorld()
		o := w.options()
		o.Log, o.Look = slog.New(slog.NewTextHandler(&log, nil)), undiffed{w, tc.err}
		got := send(t, as(New(o)), "reader", "GET", "/applications/argocd/web-dev/diff", "")
		if got.Code != tc.code || (log.Len() > 0) != tc.logged {
			t.Errorf("%v: %d %s, in the log %q", tc.err, got.Code, got.Body, &log)
		}
	}
}

// undiffed cannot tell differences.
type undiffed struct {
	Looker

	err error
}

func (u undiffed) Diff(context.Context, *v1alpha1.Application) ([]Difference, error) {
	return nil, u.err
}

// What lists have in them is bounded, too.
func TestItemsAreBounded(t *testing.T) {
	long := strings.Repeat("a", maxParameter+1)
	for body, path := range map[string]string{
		`{"revisions":["` + long + `"]}`:                          "/applications/argocd/web-dev/sync",
		`{"options":["` + long + `"]}`:                            "/applications/argocd/web-dev/sync",
		`{"action":"scale","parameters":{"to":"` + long + `"}}`:   "/applications/argocd/web-dev/objects/actions?version=v1&kind=Pod&objectName=web",
		`{"action":"scale","parameters":{"` + long + `":"true"}}`: "/applications/argocd/web-dev/objects/actions?version=v1&kind=Pod&objectName=web",
	} {
		w := newWorld()
		got := send(t, w.handler(), "writer", "POST", path, body)
		if got.Code != http.StatusUnprocessableEntity || !strings.Contains(got.Body.String(), "has more than") || len(w.asked) > 0 {
			t.Errorf("%.40s: %d %.200s", body, got.Code, got.Body)
		}
	}
}

// open are routes for everybody: to sign in, one has not yet done so.
var open = []string{"/session"}

// tables are what each route answers to nobody, reader, writer and other.
func tables() []map[string]knock {
	return []map[string]knock{routeKnocks(), clusterKnocks(), projectKnocks(), repositoryKnocks()}
}

// known finds by a request which route it asks for.
func known(all []route) func(method, address string) string {
	mux := http.NewServeMux()
	for _, r := range all {
		mux.HandleFunc(r.method+" "+r.pattern, func(http.ResponseWriter, *http.Request) {})
	}
	return func(method, address string) string {
		_, pattern := mux.Handler(httptest.NewRequestWithContext(context.Background(), method, address, nil))
		return pattern
	}
}

// Each route is in a table of who is answered what, with a request that is read
// as a whole: who may is decided there, and not by what is wrong with it.
func TestEachRouteIsInATable(t *testing.T) {
	all := routes()
	of, met := known(all), map[string]bool{}
	for _, table := range tables() {
		for name, k := range table {
			pattern := of(k.method, k.path)
			if pattern == "" && k.path != "/openapi.json" {
				t.Errorf("%s asks for %s %s, which is no route", name, k.method, k.path)
			}
			if k.want[1] != http.StatusUnprocessableEntity {
				met[pattern] = true
			}
		}
	}
	for _, r := range all {
		if !met[r.method+" "+r.pattern] {
			t.Errorf("%s %s is in no table of what is answered to nobody, reader, writer and other: add it to routeKnocks", r.method, r.pattern)
		}
	}
}

// Nobody gets anything out of any route, and who has another project nothing
// of this one's, also of routes that are added and that no table has.
func TestEachRouteRefuses(t *testing.T) {
	all := routes()
	if len(all) < 20 {
		t.Fatalf("there are %d routes", len(all))
	}
	h := newWorld().handler()
	for _, r := range all {
		if slices.Contains(open, r.path) {
			continue
		}
		var body io.Reader
		if r.method != http.MethodGet && r.method != http.MethodDelete {
			body = strings.NewReader("{}")
		}
		if w := request(t.Context(), h, "", r.method, r.path, "", body); w.Code < 400 {
			t.Errorf("nobody: %s %s: %d: %s", r.method, r.path, w.Code, w.Body)
		}
		if !r.application {
			continue
		}
		if body != nil {
			body = strings.NewReader("{}")
		}
		if w := request(t.Context(), h, "other", r.method, r.path, "", body); w.Code != http.StatusNotFound && w.Code != http.StatusUnprocessableEntity {
			t.Errorf("other: %s %s: %d: %s", r.method, r.path, w.Code, w.Body)
		}
	}
}

// What a path names is a name, whatever it looks like.
func TestPathsLeadNowhere(t *testing.T) {
	h := newWorld().handler()
	for _, evil := range []string{
		"/applications/..%2f..%2fetc/passwd", "/applications/argocd/..%2fdns", "/applications/argocd/%2e%2e", "/applications/%00/web-dev", "/applications/argocd/web-dev%00",
		"/applications/argocd/web-dev/history/..%2f2", "/applications/argocd/web-dev/history/1/compare/..%2f..%2f2", "/applications/argocd/%ff%fe", "/applications/argocd/web-dev/",
		"/bridge/..%2fargocd", "/applications/argocd/" + strings.Repeat("a", 10_000), "/..%2f..%2fargocd/api/v1/applications", "/fleet/..%5c..%5cx",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			w := request(t.Context(), h, "writer", method, evil, "", nil)
			if w.Code < 300 || w.Code >= 500 {
				t.Errorf("%s %.80s: %d: %s", method, evil, w.Code, w.Body)
			}
		}
	}
}

// A body that is too long is refused before all of it is read.
func TestBodiesAreBounded(t *testing.T) {
	h, met := newWorld().handler(), map[string]bool{}
	for _, r := range routes() {
		if !r.body {
			continue
		}
		met[r.path] = true
		body := &counted{from: io.MultiReader(strings.NewReader(`{"revision":"`), endless{})}
		w := request(t.Context(), h, "writer", r.method, r.path, "", body)
		if w.Code < 400 || w.Code >= 500 {
			t.Errorf("%s %s: %d: %s", r.method, r.path, w.Code, w.Body)
		}
		if most := int64(4 * intake.Most); body.read > most {
			t.Errorf("%s %s: %d bytes were read", r.method, r.path, body.read)
		}
	}
	for _, path := range []string{"/session", "/applications/refresh", "/applications/argocd/web-dev/sync"} {
		if !met[path] {
			t.Errorf("%s is not among the routes that read a body", path)
		}
	}
}

// What is wrong with a body as a whole is answered as the document says, and in
// words that tell what to send.
func TestBodiesThatAreNotRead(t *testing.T) {
	a := humago.New(http.NewServeMux(), config("1"))
	register(a, &server{})
	for path, item := range a.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			for _, code := range []string{"400", "413", "415"} {
				if op != nil && (op.RequestBody != nil) != (op.Responses[code] != nil) {
					t.Errorf("%s %s has a body: %t, and tells of %s: %t", op.Method, path, op.RequestBody != nil, code, op.Responses[code] != nil)
				}
			}
		}
	}
	h := newWorld().handler()
	for name, tc := range map[string]struct {
		kind, body, says string
		code             int
	}{
		"no JSON":      {"application/json", "{", "", http.StatusBadRequest},
		"too long":     {"application/json", `{"revision":"` + strings.Repeat("a", intake.Most) + `"}`, "", http.StatusRequestEntityTooLarge},
		"of a form":    {"application/x-www-form-urlencoded", "{}", "Content-Type: application/json", http.StatusUnsupportedMediaType},
		"as curl's -d": {"application/x-www-form-urlencoded", `{"prune":true}`, "Content-Type: application/json", http.StatusUnsupportedMediaType},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Prefix+"/applications/argocd/web-dev/sync", strings.NewReader(tc.body))
		r.Header.Set("X-Test-User", "writer")
		r.Header.Set("Content-Type", tc.kind)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.says) {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, tc.code)
		}
	}
}

type endless struct{}

// Read implements io.Reader.
func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("a"), len(p))), nil }

type counted struct {
	from io.Reader
	read int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read += int64(n)
	return n, err
}

// A deep body is an error, not the end of the stack.
func TestDeepBodies(t *testing.T) {
	deep := strings.Repeat(`{"resources":[`, 20_000)
	if w := request(t.Context(), newWorld().handler(), "writer", http.MethodPost, "/applications/argocd/web-dev/sync", "", strings.NewReader(deep)); w.Code < 400 || w.Code >= 500 {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// Who has as many streams of changes as one may gets no more until one ends;
// others do.
func TestFloodOfStreams(t *testing.T) {
	server := httptest.NewServer(newWorld().handler())
	defer server.Close()
	var ends []func()
	var mu sync.Mutex
	var opening sync.WaitGroup
	for range followsEach {
		opening.Go(func() {
			lines, end, err := follow(t.Context(), server, "")
			if err != nil {
				t.Error(err)
				return
			}
			for more := true; more && !strings.HasPrefix(lines.Text(), "event: "); {
				more = lines.Scan()
			}
			if lines.Text() != "event: reset" {
				t.Errorf("a stream begins with %q: %v", lines.Text(), lines.Err())
			}
			mu.Lock()
			defer mu.Unlock()
			ends = append(ends, end)
		})
	}
	opening.Wait()
	if code := followed(t, server, "reader"); code != http.StatusTooManyRequests {
		t.Errorf("one more: %d", code)
	}
	if code := followed(t, server, "writer"); code != http.StatusOK {
		t.Errorf("somebody else: %d", code)
	}
	for _, end := range ends {
		end()
	}
	for began := time.Now(); followed(t, server, "reader") != http.StatusOK; runtime.Gosched() {
		if time.Since(began) > await.Limit {
			t.Fatal("the places are not given back")
		}
	}
}

// followed opens a stream, and tells how it is answered.
func followed(t *testing.T, server *httptest.Server, user string) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+Prefix+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Test-User", user)
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	saysWhen(t, resp.StatusCode, resp.Header)
	return resp.StatusCode
}

// bodies are good ones for the routes that read one.
func bodies(all []route) map[string]string {
	of, out := known(all), map[string]string{}
	for _, table := range tables() {
		for _, k := range table {
			if k.body != "" && k.want[2] < http.StatusBadRequest {
				out[of(k.method, k.path)] = k.body
			}
		}
	}
	return out
}

// FuzzParameters gives each parameter of each route any value, beside good ones
// for what has to be there: the value is what is wrong, or nothing is.
func FuzzParameters(f *testing.F) {
	h, all := newWorld().handler(), routes()
	good := bodies(all)
	ask := func(ctx context.Context, r *route, query url.Values) *httptest.ResponseRecorder {
		var body io.Reader
		if text := good[r.method+" "+r.pattern]; text != "" {
			body = strings.NewReader(text)
		}
		return request(ctx, h, "writer", r.method, r.path, query.Encode(), body)
	}
	for i := range all {
		if r := &all[i]; len(r.given) > 0 {
			if w := ask(f.Context(), r, r.given); w.Code == http.StatusUnprocessableEntity || w.Code == http.StatusBadRequest {
				f.Errorf("%s %s?%s is to be a good request: give samples what it needs: %d: %s", r.method, r.path, r.given.Encode(), w.Code, w.Body)
			}
		}
	}
	for _, value := range []string{"", "-1", "99999999999999999999", "true", "a in (b", "\x00", "\xff\xfe", "../../etc/passwd", "<img src=x onerror=alert(1)>", "2026-01-01T00:00:00Z", strings.Repeat("a,", 5000), "%", "a=b&limit=0"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for i := range all {
			r := &all[i]
			for _, name := range r.query {
				query := maps.Clone(r.given)
				query.Set(name, value)
				w := ask(t.Context(), r, query)
				if w.Code >= http.StatusInternalServerError {
					t.Errorf("%s %s?%s=%q: %d: %s", r.method, r.path, name, value, w.Code, w.Body)
				}
				if kind := w.Header().Get("Content-Type"); strings.Contains(kind, "html") {
					t.Errorf("%s %s?%s=%q is answered with %s", r.method, r.path, name, value, kind)
				}
			}
		}
	})
}

// FuzzBodies gives each route that writes any body.
func FuzzBodies(f *testing.F) {
	h := newWorld().handler()
	var all []route
	for _, r := range routes() {
		if r.method != http.MethodGet && r.path != "/session" { // which has no door here
			all = append(all, r)
		}
	}
	for _, body := range []string{`{}`, `null`, `[]`, `{"sync":"1"}`, `{"revision":1}`, `{"resources":[{"kind":"Service","name":"web"}],"prune":true}`, "\x00", `{"applications":[null]}`, `{"a":`} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, r := range all {
			if w := request(t.Context(), h, "writer", r.method, r.path, "", strings.NewReader(body)); w.Code >= http.StatusInternalServerError {
				t.Errorf("%s %s %q: %d: %s", r.method, r.path, body, w.Code, w.Body)
			}
		}
	})
}
