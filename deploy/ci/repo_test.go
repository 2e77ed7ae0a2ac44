package ci

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

// files are a small GitOps repository: one set for all clusters, and the
// clusters.
var files = map[string]string{
	"fleet.yaml": `apiVersion: causeway.io/v1alpha1
kind: Fleet
clusters:
  - {name: dev, server: "https://dev.example.com", labels: {env: dev}}
  - {name: prod, server: "https://prod.example.com", labels: {env: prod}}
`,
	"bootstrap/web.yaml": `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators: [{clusters: {selector: {matchExpressions: [{key: env, operator: Exists}]}}}]
  template:
    metadata: {name: "web-{{name}}"}
    spec:
      project: default
      source: {repoURL: "git@git.example.com:acme/fleet.git", targetRevision: main, path: "web/{{metadata.labels.env}}"}
      destination: {name: "{{name}}", namespace: web}
`,
	"web/dev/settings.yaml":  settings("debug"),
	"web/prod/settings.yaml": settings("info"),
}

func settings(level string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: " + level + "}\n"
}

// checkout is a clone as a runner makes it: the branch of a change, merged
// into main, and main as origin has it.
func checkout(t *testing.T, change map[string]string) string {
	t.Helper()
	upstream := t.TempDir()
	git(t, upstream, "init", "--quiet", "--initial-branch=main")
	write(t, upstream, files)
	git(t, upstream, "add", "--all")
	git(t, upstream, "commit", "--quiet", "--message=First")
	git(t, upstream, "checkout", "--quiet", "-b", "change")
	write(t, upstream, change)
	git(t, upstream, "add", "--all")
	git(t, upstream, "commit", "--quiet", "--allow-empty", "--message=Change")
	dir := t.TempDir()
	git(t, dir, "clone", "--quiet", upstream, ".")
	// The remote is reached in this folder, and known by its real address.
	git(t, dir, "remote", "set-url", "origin", "https://git.example.com/acme/fleet.git")
	git(t, dir, "config", "url."+upstream+".insteadOf", "https://git.example.com/acme/fleet.git")
	git(t, dir, "checkout", "--quiet", "--detach", "origin/change")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o600)
		if strings.HasPrefix(text, "#!") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// talk is the pull request acme/fleet#7 at a host.
type talk struct {
	*hosttest.Server

	mu     sync.Mutex
	bodies []string
}

// bot is who a workflow's token, and a project's token, write as.
var bot = map[string]any{"id": 1, "login": "github-actions[bot]", "type": "Bot"}

// serve answers listings and new comments at a path, and changed ones by number.
func serve(t *testing.T, list, edit string) *talk {
	k := &talk{Server: hosttest.NewServer(t)}
	answer := func(w http.ResponseWriter, r *http.Request, id int) {
		var sent struct{ Body string }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		k.bodies[id-1] = sent.Body
		_, _ = fmt.Fprintf(w, `{"id":%d,"body":%q,"html_url":"https://git.example.com/7#%d"}`, id, sent.Body, id)
	}
	k.Handle("GET "+list, func(w http.ResponseWriter, _ *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		all := []map[string]any{}
		for i, b := range k.bodies {
			all = append(all, map[string]any{"id": i + 1, "body": b, "user": bot, "author": bot})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(all)
	})
	k.Handle("POST "+list, func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.bodies = append(k.bodies, "")
		w.WriteHeader(http.StatusCreated)
		answer(w, r, len(k.bodies))
	})
	k.Handle(edit, func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		id, _ := strconv.Atoi(r.PathValue("id"))
		answer(w, r, id)
	})
	return k
}

func (k *talk) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.bodies...)
}

// shell runs a script as a runner does, and returns what it printed.
func shell(t *testing.T, dir, script string, env map[string]string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{asProgram + "=true", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
