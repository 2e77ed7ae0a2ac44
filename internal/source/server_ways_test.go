package source

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// diverting is a proxy that answers for every host as one server does, and
// keeps what it is told.
type diverting struct {
	*httptest.Server
	mu   sync.Mutex
	told bytes.Buffer
}

func newDiverting(t *testing.T, to string) *diverting {
	t.Helper()
	at, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	d := &diverting{}
	next := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		d.mu.Lock()
		d.told.Write(body)
		d.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, req)
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *diverting) knows(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Contains(d.told.Bytes(), []byte(text))
}

// TestWaysArePartedInStores has two projects with Secrets of their own for one
// address, of which one leads to a server of its choice.
func TestWaysArePartedInStores(t *testing.T) {
	dir := newRepository(t)
	write(t, dir, "secret.yaml", "blue's")
	private := commit(t, dir)
	server := newGitServer(t, filepath.Dir(dir))
	server.only(func(r *http.Request) bool { _, p, _ := r.BasicAuth(); return p == "blue" })
	other := newRepository(t)
	write(t, other, "secret.yaml", "planted")
	planted := commit(t, other)
	proxy := newDiverting(t, newGitServer(t, filepath.Dir(other)).URL)

	address := server.URL + "/repo"
	creds := &Credentials{}
	creds.Replace([]Repository{
		{Secret: "blue", URL: address, Project: "blue", Credential: Credential{Username: "b", Password: "blue"}},
		{Secret: "red", URL: address, Project: "red", Credential: Credential{Proxy: Secret(proxy.URL)}},
	})
	r := newRegistry(t, Options{Credentials: creds})
	at := func(project, revision string) gitops.SourceRef {
		return gitops.SourceRef{RepoURL: address, Project: project, Revision: revision}
	}
	if got := content(t, snap(t, r, at("blue", "main")), "secret.yaml"); got != "blue's" {
		t.Errorf("blue has %q", got)
	}
	if got := content(t, snap(t, r, at("red", "main")), "secret.yaml"); got != "planted" {
		t.Errorf("red has %q", got)
	}
	for _, tc := range []struct{ project, revision string }{
		{"red", private}, {"red", private[:9]}, {"blue", planted}, {"blue", planted[:9]},
	} {
		if s, err := r.Snapshot(t.Context(), at(tc.project, tc.revision)); err == nil {
			t.Errorf("%s at %s reads %q", tc.project, tc.revision, content(t, s, "secret.yaml"))
		}
	}
	if proxy.knows("have " + private) {
		t.Error("a project's proxy is told of another one's commits")
	}
}

// TestStoresOfOneWayAreShared counts stores.
func TestStoresOfOneWayAreShared(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	address, cache := server.URL+"/repo", t.TempDir()
	creds := &Credentials{}
	r := newRegistry(t, Options{CacheDir: cache, PrivateHosts: true, Credentials: creds})
	for _, step := range []struct {
		reason string
		secret Repository
		ref    gitops.SourceRef
		stores int
	}{
		{"nothing is known", Repository{}, gitops.SourceRef{Project: "a"}, 1},
		{"another project", Repository{}, gitops.SourceRef{Project: "b"}, 1},
		{"operators have a credential", Repository{Credential: Credential{Username: "x", Password: "1"}}, gitops.SourceRef{Project: "a"}, 1},
		{"and another one", Repository{Credential: Credential{Username: "x", Password: "2"}}, gitops.SourceRef{Project: "b"}, 1},
		{"who may not use it", Repository{Credential: Credential{Username: "x", Password: "2"}}, gitops.SourceRef{Project: "c", Anonymous: true}, 2},
		{"the same of another project", Repository{}, gitops.SourceRef{Project: "d", Anonymous: true}, 2},
		{"a project has its own", Repository{Project: "a", Credential: Credential{Username: "x", Password: "2"}}, gitops.SourceRef{Project: "a"}, 3},
		{"and changes its password", Repository{Project: "a", Credential: Credential{Username: "x", Password: "3"}}, gitops.SourceRef{Project: "a"}, 3},
		{"another one has none of that", Repository{Project: "a", Credential: Credential{Username: "x", Password: "3"}}, gitops.SourceRef{Project: "b"}, 3},
		{"and has the same", Repository{Project: "b", Credential: Credential{Username: "x", Password: "3"}}, gitops.SourceRef{Project: "b"}, 4},
		{"nothing is checked any more", Repository{Project: "a", Credential: Credential{Username: "x", Password: "3", Insecure: true}}, gitops.SourceRef{Project: "a"}, 5},
	} {
		step.secret.URL = address
		creds.Replace([]Repository{step.secret})
		r.CredentialsChanged()
		step.ref.RepoURL = address
		content(t, snap(t, r, step.ref), "a.yaml")
		stores, err := os.ReadDir(filepath.Join(cache, "sources-0", "git"))
		if err != nil || len(stores) != step.stores {
			t.Errorf("%s: got %d stores, want %d: %v", step.reason, len(stores), step.stores, err)
		}
	}
}
