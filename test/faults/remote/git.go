// Package remote has servers of Git repositories and charts that fail on
// command: they refuse, hang, or stop in the middle of an answer.
package remote

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cgi" //nolint:gosec // the old weakness of CGI is about proxies; this one serves git to a test
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Mode is how a server behaves.
type Mode int32

// The modes of a server.
const (
	Fine Mode = iota
	// Down answers 503.
	Down
	// Half sends the first half of each answer and cuts it there.
	Half
	// Hang sends nothing for a while.
	Hang
)

// Server is one that can fail.
type Server struct {
	http *httptest.Server
	mode atomic.Int32
	hit  atomic.Int64
	let  chan struct{} // closed at the end: nothing hangs any longer
}

func serve(inner http.Handler) *Server {
	s := &Server{let: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(inner, w, r) }))
	return s
}

// Close ends the server.
func (s *Server) Close() {
	close(s.let)
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL of the server.
func (s *Server) URL() string { return s.http.URL }

// Set changes how it behaves from now on.
func (s *Server) Set(m Mode) {
	s.mode.Store(int32(m))
	s.hit.Store(0)
}

// Hit is how many requests have met the mode since it was set.
func (s *Server) Hit() int64 { return s.hit.Load() }

func (s *Server) answer(inner http.Handler, w http.ResponseWriter, r *http.Request) {
	mode := Mode(s.mode.Load())
	defer s.hit.Add(1)
	switch mode {
	case Down:
		http.Error(w, "down on purpose", http.StatusServiceUnavailable)
	case Hang:
		select {
		case <-r.Context().Done():
		case <-s.let:
		case <-time.After(5 * time.Second):
		}
		panic(http.ErrAbortHandler)
	case Half:
		whole := httptest.NewRecorder()
		inner.ServeHTTP(whole, r)
		for k, v := range whole.Header() {
			w.Header()[k] = v
		}
		w.Header().Del("Content-Length")
		w.WriteHeader(whole.Code)
		_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		inner.ServeHTTP(w, r)
	}
}

// Git is a repository behind a server.
type Git struct {
	*Server

	work, bare string
}

// NewGit makes a repository with one commit in a folder.
func NewGit(ctx context.Context, dir string, files map[string]string) (*Git, error) {
	backend, err := exec.CommandContext(ctx, "git", "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot find git: %w", err)
	}
	g := &Git{work: filepath.Join(dir, "work"), bare: filepath.Join(dir, "served", "repo.git")}
	for _, args := range [][]string{{"init", "-q", "--bare", "-b", "main", g.bare}, {"init", "-q", "-b", "main", g.work}} {
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	g.Server = serve(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(backend)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + filepath.Dir(g.bare), "GIT_HTTP_EXPORT_ALL=1"},
	})
	return g, g.Commit(ctx, files)
}

// RepoURL is what applications name.
func (g *Git) RepoURL() string { return g.URL() + "/repo.git" }

// Commit writes files and pushes them.
func (g *Git) Commit(ctx context.Context, files map[string]string) error {
	return g.push(ctx, files, []string{"commit", "-q", "-m", "change"})
}

// Rewrite replaces the last commit, as a force-push does.
func (g *Git) Rewrite(ctx context.Context, files map[string]string) error {
	return g.push(ctx, files, []string{"commit", "-q", "--amend", "-m", "changed history"})
}

func (g *Git) push(ctx context.Context, files map[string]string, commit []string) error {
	for name, text := range files {
		path := filepath.Join(g.work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"add", "-A"}, commit, {"push", "-q", "--force", g.bare, "HEAD:main"}} {
		args = append([]string{"-C", g.work, "-c", "user.name=suite", "-c", "user.email=suite@example.com"}, args...)
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git: %w: %s", err, out)
		}
	}
	return nil
}
