package git

import (
	"bytes"
	"errors"
	"io"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestFetchMemory: what a server sends becomes more than it has, and git holds a commit
// as a whole: not without end.
func TestFetchMemory(t *testing.T) {
	noProxies(t)
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Fatal("git-http-backend is a part of git, and is not here: ", err)
	}
	u := newUpstream(t)
	u.write("a", "b")
	small := u.commit("small")
	text := "tree " + u.git("rev-parse", "HEAD^{tree}") + "\nauthor A <a@example.org> 1 +0000\ncommitter A <a@example.org> 1 +0000\n\n"
	file := filepath.Join(t.TempDir(), "commit")
	if err := os.WriteFile(file, append([]byte(text), bytes.Repeat([]byte{'x'}, 32<<20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	u.git("config", "core.compression", "1")
	u.git("branch", "large", u.git("hash-object", "-t", "commit", "-w", file))
	server := httptest.NewServer(&cgi.Handler{Path: backend, Stderr: io.Discard, InheritEnv: []string{"PATH"}, Env: []string{
		"GIT_PROJECT_ROOT=" + u.dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}})
	t.Cleanup(server.Close)
	r := newRemote(t, server.URL+"/.git", access.Credential{})
	r.store.command.fetchMemory = 28 << 20
	v := look(t, r)
	if got := snapshot(t, v, "main").Revision; got != small {
		t.Errorf("main is %s, not %s", got, small)
	}
	_, err = v.Snapshot(t.Context(), "large")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(p.What, "more than 28 MiB of memory") || p.Fix == "" {
		t.Errorf("got %v", err)
	}
}

func TestFetchMemoryOfMachines(t *testing.T) {
	for there, want := range map[int64]int{2 << 30: 1 << 30, 16 << 30: 4 << 30} {
		if got := fetchMemory(there); got != want {
			t.Errorf("of %d it is %d", there, got)
		}
	}
}
