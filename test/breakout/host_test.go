package breakout

import (
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// host has a team's Git repository, its charts and its artifacts, and remembers who asked for what.
type host struct {
	*httptest.Server

	name, password string
	work, bare     string
	git            http.Handler

	mu    sync.Mutex
	asked []string
}

// newHost starts one that wants a password; none where it is empty.
func newHost(t *testing.T, name, password string) *host {
	t.Helper()
	dir := t.TempDir()
	backend, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{name: name, password: password, work: filepath.Join(dir, "work"), bare: filepath.Join(dir, "served", name+".git")}
	git(t, dir, "init", "-q", "--bare", "-b", "main", h.bare)
	git(t, dir, "init", "-q", "-b", "main", h.work)
	h.git = &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(backend)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + filepath.Dir(h.bare), "GIT_HTTP_EXPORT_ALL=1"},
	}
	h.Server = httptest.NewServer(http.HandlerFunc(h.answer))
	t.Cleanup(h.Close)
	return h
}

// signedIn ends what was asked with a credential.
const signedIn = ", with a credential"

func (h *host) answer(w http.ResponseWriter, r *http.Request) {
	user, password, signed := r.BasicAuth()
	h.mu.Lock()
	who := ""
	if signed || r.Header.Get("Authorization") != "" {
		who = signedIn
	}
	h.asked = append(h.asked, r.Method+" "+r.URL.Path+who)
	h.mu.Unlock()
	if h.password != "" && (user != h.name || password != h.password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="team"`)
		http.Error(w, "who is it?", http.StatusUnauthorized)
		return
	}
	h.git.ServeHTTP(w, r)
}

// repo is the address of its Git repository.
func (h *host) repo() string { return h.URL + "/" + h.name + ".git" }

// take returns what was asked since the last time.
func (h *host) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.asked
	h.asked = nil
	return out
}

// linkTo begins the content of a file that is a symbolic link.
const linkTo = "-> "

// commit writes files and pushes them.
func (h *host) commit(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := place(filepath.Join(h.work, name), text); err != nil {
			t.Fatal(err)
		}
	}
	git(t, h.work, "add", "-A")
	git(t, h.work, "commit", "-q", "-m", "change")
	git(t, h.work, "push", "-q", h.bare, "HEAD:main")
}

// place writes a file, or a symbolic link.
func place(path, text string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if target, is := strings.CutPrefix(text, linkTo); is {
		return errors.Join(err, os.Symlink(target, path))
	}
	return errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	all := append([]string{"-C", dir, "-c", "user.name=suite", "-c", "user.email=suite@example.com"}, args...)
	out, err := exec.Command("git", all...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
