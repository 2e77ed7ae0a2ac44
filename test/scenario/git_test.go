package scenario

import (
	"bytes"
	"fmt"
	"io/fs"
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
	programs, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &gitServer{root: t.TempDir()}
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(programs)), "git-http-backend"),
		Env:  append([]string{"GIT_PROJECT_ROOT=" + s.root, "GIT_HTTP_EXPORT_ALL=1"}, noSettings...),
	})
	t.Cleanup(server.Close)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 16
	s.url = server.URL + "/"
	return s
}

// noSettings keeps git from the settings of whoever runs the tests.
var noSettings = []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}

// commit makes a folder the whole content of a repository's branch main, and
// returns the commit. One process does it: init, add, commit and rev-parse of
// hundreds of commits cost more than what the engine makes of them.
func (s *gitServer) commit(name, dir string) (string, error) {
	repo := filepath.Join(s.root, name+".git")
	parent, err := ready(repo)
	if err != nil {
		return "", err
	}
	stream, err := imported(dir, parent)
	if err != nil {
		return "", err
	}
	cmd := exec.Command("git", "--git-dir="+repo, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--date-format=now")
	cmd.Env = append(os.Environ(), noSettings...)
	cmd.Stdin = stream
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git fast-import of %s: %w\n%s", dir, err, out)
	}
	return head(repo)
}

// ready makes a bare repository where there is none, and returns the commit of
// its main; "" for none.
func ready(repo string) (parent string, err error) {
	if _, err := os.Stat(repo); err == nil {
		return head(repo)
	}
	for _, dir := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(repo, dir), 0o750); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "config"), []byte("[core]\n\trepositoryformatversion = 0\n\tbare = true\n"), 0o600); err != nil {
		return "", err
	}
	return "", os.WriteFile(filepath.Join(repo, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
}

func head(repo string) (string, error) {
	hash, err := os.ReadFile(filepath.Join(repo, "refs", "heads", "main"))
	return strings.TrimSpace(string(hash)), err
}

// imported is the stream that makes a folder the next commit.
func imported(dir, parent string) (*bytes.Buffer, error) {
	out := &bytes.Buffer{}
	fmt.Fprintf(out, "commit refs/heads/main\ncommitter Ann <ann@example.org> now\ndata 4\nnext\n")
	if parent != "" {
		fmt.Fprintf(out, "from %s\n", parent)
	}
	fmt.Fprintf(out, "deleteall\n")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no file", path)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		fmt.Fprintf(out, "M 100644 inline %s\ndata %d\n%s\n", filepath.ToSlash(name), len(content), content)
		return err
	})
	return out, err
}
