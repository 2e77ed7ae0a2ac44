package source

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// mover is a Git host that lets in who signs in, and sends on from some
// repositories to others. It notes what was asked for by whom.
type mover struct {
	*httptest.Server
	root  string
	early bool // sends on before anybody has signed in

	mu    sync.Mutex
	sends map[string]string
	asked map[string]bool // by path, and whether somebody signed in
}

// newMover serves repositories whose a.yaml has their names.
func newMover(t *testing.T, repositories ...string) *mover {
	t.Helper()
	m := &mover{root: t.TempDir(), sends: map[string]string{}, asked: map[string]bool{}}
	for _, name := range repositories {
		dir := filepath.Join(m.root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		runGit(t, dir, "init", "--quiet", "--initial-branch=main")
		write(t, dir, "a.yaml", name)
		commit(t, dir)
	}
	back, err := url.Parse(newGitServer(t, m.root).URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(back)
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		signed := password == "hunter2" || r.Header.Get("Authorization") == "Bearer hunter2"
		repository, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		m.mu.Lock()
		m.asked[repository] = m.asked[repository] || signed
		to, sent := m.sends[repository]
		m.mu.Unlock()
		switch {
		case !signed && (!sent || !m.early):
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case sent && !strings.Contains(to, "/"):
			http.Redirect(w, r, "/"+to+strings.TrimPrefix(r.URL.RequestURI(), "/"+repository), http.StatusMovedPermanently)
		case sent:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *mover) send(from, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sends[from] = to
}

// signedIn reports whether somebody did for a repository, and forgets it.
func (m *mover) signedIn(repository string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	is := m.asked[repository]
	delete(m.asked, repository)
	return is
}

func (m *mover) template(path string) Repository {
	return Repository{URL: m.URL + path, Template: true, Credential: Credential{Username: "operator", Password: "hunter2"}}
}

// TestServersSpendNoCredential has the server of one team's repository send on to
// another team's on the same host, which the same credential opens.
func TestServersSpendNoCredential(t *testing.T) {
	header, bearer := Credential{Username: "operator", Password: "hunter2", ForceBasic: true}, Credential{BearerToken: "hunter2"}
	for name, c := range map[string]struct {
		reason     string
		repository func(*mover) Repository
		early      bool
		project    string
		want       string
	}{
		"Template": {"a template opens both", func(m *mover) Repository { return m.template("") }, false, "red", "does not permit"},
		"Early":    {"it sends on whoever asks", func(m *mover) Repository { return m.template("") }, true, "red", "does not permit"},
		"Own": {"the Secret of the repository is for no other", func(m *mover) Repository {
			return Repository{URL: m.URL + "/red", Credential: m.template("").Credential}
		}, false, "red", "does not permit"},
		"Uncovered":  {"nor where the project permits that", func(m *mover) Repository { return m.template("/red") }, false, "both", "no repository Secret is for"},
		"ForceBasic": {"a header goes along as well", func(m *mover) Repository { return Repository{URL: m.URL, Template: true, Credential: header} }, false, "red", "does not permit"},
		"Bearer":     {"a token, too", func(m *mover) Repository { return Repository{URL: m.URL, Template: true, Credential: bearer} }, false, "red", "does not permit"},
		"Permitted":  {"who may read both does", func(m *mover) Repository { return m.template("") }, false, "both", ""},
		"EarlyToo":   {"whenever it sends on", func(m *mover) Repository { return m.template("") }, true, "both", ""},
		"Token":      {"by a token", func(m *mover) Repository { return Repository{URL: m.URL, Template: true, Credential: bearer} }, false, "both", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMover(t, "blue")
			m.early = c.early
			m.send("red", "blue")
			store := &Credentials{}
			store.Replace([]Repository{c.repository(m)})
			permits := folders{"red": "/red", "both": "/"}
			r := newRegistry(t, Options{Credentials: store, Permits: permits.of})
			s, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: m.URL + "/red", Revision: "main", Project: c.project})
			if c.want == "" {
				if err != nil || content(t, s, "a.yaml") != "blue" {
					t.Errorf("%s: got %v", c.reason, err)
				}
				return
			}
			if m.signedIn("blue") {
				t.Errorf("%s: the credential was sent where the server led", c.reason)
			}
			p := problem(t, err)
			if p.Kind != gitops.Refused || !strings.Contains(p.What, c.want) || !strings.Contains(p.Fix, "write "+m.URL+"/blue as repoURL") {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

// TestPermissionOfMovedRepositories asks each project, and each time.
func TestPermissionOfMovedRepositories(t *testing.T) {
	m := newMover(t, "blue")
	m.send("red", "blue")
	store := &Credentials{}
	store.Replace([]Repository{m.template("")})
	permits := folders{"red": "/red", "both": "/"}
	r := newRegistry(t, Options{Credentials: store, Permits: permits.of})
	read := func(project string) error {
		_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: m.URL + "/red", Revision: "main", Project: project})
		return err
	}
	if err := read("both"); err != nil {
		t.Fatal(err)
	}
	if err := read("red"); err == nil {
		t.Error("what one project may read is read for another")
	}
	permits["both"] = "/red"
	if err := read("both"); err == nil {
		t.Error("what was permitted once is read for ever")
	}
}

// TestMovedRepositoriesAreFollowed tells who wrote the old address of what is new
// at the new one, looks there when that is asked for, and checks what is signed there.
func TestMovedRepositoriesAreFollowed(t *testing.T) {
	m := newMover(t, "new")
	m.send("old", "new")
	r := newRegistry(t, Options{Credentials: known(m.template("").Credential), Permits: Everywhere, Interval: time.Hour})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: m.URL + "/old", Revision: "main"}
	s := snap(t, r, ref)
	if s.Ref != ref {
		t.Errorf("it answers %v", s.Ref)
	}
	err := r.Verify(t.Context(), ref, s.Revision, gitops.SignatureRule{Keys: []string{"1234"}})
	if p := problem(t, err); p.Kind != gitops.Forbidden || !strings.Contains(p.What, "not signed") {
		t.Errorf("its signature: %v", err)
	}
	for name, again := range map[string]func(){"Refresh": func() { r.Refresh(ref.RepoURL) }, "Renew": func() { r.Renew(ref) }} {
		write(t, filepath.Join(m.root, "new"), "b.yaml", name)
		next := commit(t, filepath.Join(m.root, "new"))
		again()
		if c := change(t, r); len(c.Repos) != 1 || c.Repos[0] != address.Folded(ref.RepoURL) {
			t.Errorf("%s tells of %v", name, c.Repos)
		}
		if got := snap(t, r, ref).Revision; got != next {
			t.Errorf("%s: got %s, want %s", name, got, next)
		}
	}
}

// TestSpelledRepositories are read by the spelling that the server wants, which is
// asked for at once from then on.
func TestSpelledRepositories(t *testing.T) {
	m := newMover(t, "shop.git")
	m.send("shop", "shop.git")
	r := newRegistry(t, Options{Credentials: known(m.template("").Credential)})
	ref := gitops.SourceRef{RepoURL: m.URL + "/shop", Revision: "main", Project: "shop"}
	if got := content(t, snap(t, r, ref), "a.yaml"); got != "shop.git" {
		t.Errorf("got %q", got)
	}
	if !m.signedIn("shop") {
		t.Error("the address was not asked for")
	}
	r.Refresh(ref.RepoURL)
	snap(t, r, ref)
	if m.signedIn("shop") {
		t.Error("the server has to say it each time")
	}
}

// TestServersThatLeadNowhere are told as they are.
func TestServersThatLeadNowhere(t *testing.T) {
	for name, c := range map[string]struct{ reason, from, to, want string }{
		"Page":   {"a page to sign in by", "a", "/users/sign_in", "/users/sign_in, which is no repository"},
		"Self":   {"itself", "a", "a", "returned error: 301"},
		"Circle": {"two that lead to one another", "a", "b", "more than 3 times"},
		"Host":   {"another protocol", "a", "ftp://example.com/a/info/refs?service=git-upload-pack", "ftp://example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMover(t)
			m.send(c.from, c.to)
			m.send("b", "a")
			r := newRegistry(t, Options{Credentials: known(m.template("").Credential), Permits: Everywhere})
			_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: m.URL + "/" + c.from, Revision: "main"})
			if p := problem(t, err); p.Kind != gitops.Refused || !strings.Contains(p.What, c.want) || p.Fix == "" {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}
