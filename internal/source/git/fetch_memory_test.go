package git

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestFetchIsBoundedInMemory has a repository of some hundred kilobytes whose commit takes git as much memory as whoever
// made it likes.
func TestFetchIsBoundedInMemory(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "a")
	u.commit("first")
	message := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(message, []byte(strings.Repeat("k", 48<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	u.git("commit", "--quiet", "--amend", "--cleanup=verbatim", "-F", message)
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&cgi.Handler{Path: program, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(u.dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}})
	t.Cleanup(server.Close)
	r := newRemote(t, server.URL+"/"+filepath.Base(u.dir), access.Credential{})
	r.store.command.fetchMemory = 32 << 20
	_, err = look(t, r).Snapshot(t.Context(), "main")
	if err == nil || !strings.Contains(err.Error(), "more than 32 MiB of memory") {
		t.Errorf("it is read: %v", err)
	}
}
