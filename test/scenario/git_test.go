package scenario

import (
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitServer serves a folder of repositories.
type gitServer struct {
	root string
	url  string // with a slash at the end
}

func serveGit(t *testing.T) *gitServer {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	s := &gitServer{root: t.TempDir()}
	server := httptest.NewServer(&cgi.Handler{
		Path: program, Args: []string{"http-backend"},
		Env: []string{"GIT_PROJECT_ROOT=" + s.root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
	})
	t.Cleanup(server.Close)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 16
	s.url = server.URL + "/"
	return s
}

// commit makes a folder the whole content of a repository's branch main, and
// returns the commit.
func (s *gitServer) commit(name, dir string) (string, error) {
	repo := filepath.Join(s.root, name+".git")
	if _, err := os.Stat(repo); err != nil {
		if _, err := git(s.root, "init", "--quiet", "--bare", "--initial-branch=main", repo); err != nil {
			return "", err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if _, err := git(repo, "--work-tree="+dir, "add", "-A", "."); err != nil {
		return "", err
	}
	if _, err := git(repo, "--work-tree="+dir, "commit", "--quiet", "--allow-empty", "-m", "next"); err != nil {
		return "", err
	}
	return git(repo, "rev-parse", "main")
}

func git(repo string, args ...string) (string, error) {
	all := append([]string{"--git-dir=" + repo, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "core.bare=false"}, args...)
	cmd := exec.Command("git", all...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	for _, arg := range args {
		if dir, ok := strings.CutPrefix(arg, "--work-tree="); ok {
			cmd.Dir = dir
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %v: %w\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
