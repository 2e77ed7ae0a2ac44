package bridge

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/test/await"
)

// patience bounds one step on a busy machine; the first starts four control planes.
var patience = 3 * await.Limit

// place is a folder that looks like a clone of the repository to the commands.
type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"causeway", "causeway-kube", "terraformrc"} {
		if _, err := os.Stat(filepath.Join(root, "bin", name)); err != nil {
			t.Fatalf("run `make build terraform` first: %v", err)
		}
	}
	p := place{t: t, dir: t.TempDir()}
	p.clone(root)
	bin := filepath.Join(p.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"causeway-kube", "terraformrc"} {
		if err := os.Symlink(filepath.Join(root, "bin", name), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.write("bin/causeway", fmt.Sprintf(door, p.dir, filepath.Join(root, "bin/causeway")), 0o755)
	t.Cleanup(p.leave)
	return p
}

// door is the program causeway, which waits before it stops the fleet until
// the test has looked at what is left.
const door = `#!/bin/sh
here=%q
if [ "$1" = down ] && [ -e "$here/hold" ]; then
  touch "$here/asked"
  while [ -e "$here/hold" ]; do sleep 0.1; done
fi
exec %q "$@"
`

// clone copies what Git knows of the example, and commits it: a preview reads commits.
func (p place) clone(root string) {
	p.t.Helper()
	names := p.must(root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "examples/bridge", "terraform/modules")
	for name := range strings.SplitSeq(strings.TrimRight(names, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			p.t.Fatal(err)
		}
		p.write(name, string(text), 0o644)
	}
	p.must(p.dir, "git", "init", "-q")
	p.must(p.dir, "git", "add", ".")
	p.must(p.dir, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "all")
}

func (p place) write(name, text string, mode os.FileMode) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) must(dir, program string, args ...string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), program, args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", program, args[0], err, errs.String())
	}
	return string(out)
}

// shell runs text as a person's shell would, and stops at the first failure.
func (p place) shell(ctx context.Context, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir, cmd.WaitDelay = p.dir, 10*time.Second // what a stopped shell has started may hold on to its output
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TF_") && !strings.HasPrefix(v, "KUBE") && !strings.HasPrefix(v, "CAUSEWAY_STATE") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "TF_CLI_ARGS=-no-color", "CHECKPOINT_DISABLE=1", "XDG_CACHE_HOME="+filepath.Join(p.dir, "cache"))
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("not done within %s: %w", patience, err)
	}
	return string(out), err
}

// leave stops what a test that failed left running.
func (p place) leave() {
	_ = os.Remove(filepath.Join(p.dir, "hold"))
	if p.t.Failed() {
		log, _ := os.ReadFile(filepath.Join(p.dir, "examples/bridge/.causeway/bridge/up.log"))
		p.t.Logf("the engine said:\n%s", log)
	}
	if out, err := p.shell(context.Background(), "cd examples/bridge && ../../bin/causeway down --file causeway.yaml --state-dir .causeway --delete"); err != nil {
		p.t.Logf("%s", out)
	}
}
