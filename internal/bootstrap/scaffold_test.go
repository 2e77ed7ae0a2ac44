package bootstrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func workTree(t *testing.T) string {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "a")
		t.Setenv("GIT_"+who+"_EMAIL", "a@example.com")
	}
	dir := t.TempDir()
	git(t, dir, "init", "--quiet")
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestScaffoldNeverWritesOver(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "README.md", "mine\n")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Symlink(outside, filepath.Join(dir, "workloads")); err != nil {
		t.Fatal(err)
	}
	if _, err := (Scaffold{Dir: dir}).Write(); err == nil {
		t.Error("a link that leads out of the work tree was followed")
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("something was written outside of the work tree")
	}
	if err := os.Remove(filepath.Join(dir, "workloads")); err != nil {
		t.Fatal(err)
	}
	all, err := Scaffold{Dir: dir}.Write()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Scaffold{Dir: dir}.Write()
	if err != nil {
		t.Fatal(err)
	}
	states := map[FileState]int{}
	for _, f := range again {
		states[f.State]++
	}
	if diff := cmp.Diff(map[FileState]int{Same: len(all) - 1, Other: 1}, states); diff != "" {
		t.Errorf("the second time: %s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || string(text) != "mine\n" {
		t.Errorf("the user's file is %q, %v", text, err)
	}
}

func TestCommitTakesTheLayoutAlone(t *testing.T) {
	dir := workTree(t)
	put(t, dir, "notes.md", "staged\n")
	git(t, dir, "add", "notes.md")
	put(t, dir, "README.md", "mine\n")
	s := Scaffold{Dir: dir, Path: "fleets/eu/"}
	if _, err := s.Write(); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Commit(t.Context()); err != nil || !done {
		t.Fatalf("committed: %v, error %v", done, err)
	}
	if got := git(t, dir, "status", "--porcelain"); got != "A  notes.md\n?? README.md" {
		t.Errorf("the commit took or left other files:\n%s", got)
	}
	if got := git(t, dir, "show", "--name-only", "--format=", "HEAD"); !strings.Contains(got, "fleets/eu/control-plane/addons/metrics-server.yaml") {
		t.Errorf("the commit has %s", got)
	}
	if done, err := s.Commit(t.Context()); err != nil || done {
		t.Errorf("committed twice: %v, error %v", done, err)
	}
}

func TestCommitWithoutARepository(t *testing.T) {
	s := Scaffold{Dir: t.TempDir()}
	if _, err := s.Write(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context()); err == nil || !strings.Contains(err.Error(), "--commit") {
		t.Errorf("got error %v", err)
	}
}
