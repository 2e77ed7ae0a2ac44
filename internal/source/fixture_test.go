package source

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// newRepository makes a repository with one commit of a.yaml.
func newRepository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "init", "--quiet", "--initial-branch=main")
	write(t, dir, "a.yaml", "1")
	commit(t, dir)
	return dir
}

func commit(t testing.TB, dir string) string {
	t.Helper()
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "--quiet", "--allow-empty", "-m", "next")
	return runGit(t, dir, "rev-parse", "HEAD")
}

func newRegistry(t testing.TB, opts Options) *Registry {
	t.Helper()
	if opts.CacheDir == "" {
		opts.CacheDir = t.TempDir()
	}
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// start runs the registry until the test ends.
func start(t testing.TB, r *Registry) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	within(t, "the registry runs", r.running.Load)
}

func snap(t testing.TB, r *Registry, ref gitops.SourceRef) *gitops.Snapshot {
	t.Helper()
	s, err := r.Snapshot(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func content(t testing.TB, s *gitops.Snapshot, name string) string {
	t.Helper()
	data, err := s.Tree.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// within waits for a condition with a deadline.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(await.Limit)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// change waits for the next change.
func change(t testing.TB, r *Registry) gitops.RepoChange {
	t.Helper()
	select {
	case c := <-r.Changes():
		return c
	case <-time.After(await.Limit):
		t.Fatal("no change in time")
		return gitops.RepoChange{}
	}
}

func problem(t testing.TB, err error) *gitops.Problem {
	t.Helper()
	var p *gitops.Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a Problem", err)
	}
	return p
}

// gitServer serves the repositories below a folder over HTTP as hosts do.
type gitServer struct {
	*httptest.Server
	looks   atomic.Int64 // look-ups: requests for info/refs
	refuse  atomic.Bool
	stop    chan struct{}
	hanging atomic.Bool
	allow   atomic.Pointer[func(*http.Request) bool]
}

// only has the server answer the requests that a function lets in.
func (s *gitServer) only(allow func(*http.Request) bool) { s.allow.Store(&allow) }

func newGitServer(t testing.TB, root string) *gitServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git-http-backend is not installed")
	}
	s := &gitServer{stop: make(chan struct{})}
	handler := &cgi.Handler{Path: backend, Stderr: io.Discard, InheritEnv: []string{"PATH"}, Env: []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		allow := s.allow.Load()
		switch {
		case s.hanging.Load():
			<-s.stop
			return
		case s.refuse.Load():
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		case allow != nil && !(*allow)(req):
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(req.URL.Path, "/info/refs") {
			s.looks.Add(1)
		}
		if p := req.Header.Get("Git-Protocol"); p != "" {
			h := *handler
			h.Env = append(append([]string{}, h.Env...), "GIT_PROTOCOL="+p)
			h.ServeHTTP(w, req)
			return
		}
		handler.ServeHTTP(w, req)
	}))
	t.Cleanup(func() {
		close(s.stop)
		s.Close()
	})
	return s
}

// known is a CredentialSource with one answer.
type known Credential

func (k known) For(string, string) (Credential, bool) { return Credential(k), true }

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
