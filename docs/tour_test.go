package docs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/test/await"
)

// marked are the blocks of a page that a test runs; those marked env set up
// the shell and are run again before each of the others.
var marked = regexp.MustCompile("(?ms)^<!-- test(: env)? -->\n```sh\n(.*?)^```")

// block is a piece of shell in a page.
type block struct {
	env  bool
	text string
	line int
}

func blocks(page string) []block {
	var out []block
	for _, m := range marked.FindAllStringSubmatchIndex(page, -1) {
		out = append(out, block{env: m[2] >= 0, text: page[m[4]:m[5]], line: 1 + strings.Count(page[:m[4]], "\n")})
	}
	return out
}

// stepTime bounds one block; the first starts four control planes.
var stepTime = 3 * await.Limit

// outputDelay is how long what a stopped shell has started may hold on to its output.
const outputDelay = 10 * time.Second

// TestTours runs the commands of each page in their order, in a copy of the
// example fleet. A page is read by people who then type what it says.
func TestTours(t *testing.T) {
	for _, page := range []string{"../README.md", "tutorial/first-fleet.md"} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			all := blocks(string(text))
			if len(all) == 0 {
				t.Fatalf("%s has no block that is marked for the test", page)
			}
			tour(t, page, all)
		})
	}
}

func tour(t *testing.T, page string, all []block) {
	t.Helper()
	dir := workplace(t)
	t.Cleanup(func() {
		if out, err := shell(context.Background(), dir, "bin/causeway down --delete"); err != nil {
			t.Logf("%s", out)
		}
	})
	var env strings.Builder
	for _, b := range all {
		if b.env {
			env.WriteString(b.text)
			continue
		}
		start := time.Now()
		out, err := shell(t.Context(), dir, env.String()+b.text)
		if err != nil {
			t.Fatalf("%s:%d: %v\n%s\n%s", page, b.line, err, b.text, out)
		}
		t.Logf("%s:%d (%s)\n%s", page, b.line, time.Since(start).Round(time.Millisecond), out)
	}
}

// workplace is a folder that looks like the repository's root to the commands.
func workplace(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"causeway", "causeway-kube"} {
		if _, err := os.Stat(filepath.Join(root, "bin", name)); err != nil {
			t.Fatalf("run `make build` first: %v", err)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples/fleet"), os.DirFS(filepath.Join(root, "examples/fleet"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "bin"), filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shell runs text as a person's shell would, and stops at the first failure.
func shell(ctx context.Context, dir, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -eu\n"+text)
	cmd.WaitDelay = outputDelay
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "KUBECONFIG=", "CAUSEWAY_STATE_DIR=", "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("not done within %s: %w", stepTime, err)
	}
	return string(out), err
}
