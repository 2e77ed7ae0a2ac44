package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDamagedIsNamedOrAll tells that nothing is trusted once git says more
// than is kept of it.
func TestDamagedIsNamedOrAll(t *testing.T) {
	command, err := NewCommand(t.TempDir(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "objects.git")
	v := NewVault(command, dir, nil, 1<<20)
	t.Cleanup(v.Close)
	if err := v.prepare(); err != nil {
		t.Fatal(err)
	}
	write := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"--git-dir=" + v.own}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_OBJECT_DIRECTORY="+filepath.Join(dir, "objects"))
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	var trees, blobs []string
	for _, text := range []string{"one", "two"} {
		blob := write(text, "hash-object", "-w", "--stdin")
		tree := write("100644 blob "+blob+"\tfile\n", "mktree")
		trees, blobs = append(trees, tree), append(blobs, blob)
	}
	if got, err := v.Damaged(t.Context(), trees); err != nil || len(got) != 0 {
		t.Fatalf("all is whole: %v, %v", got, err)
	}
	if err := os.Remove(filepath.Join(dir, "objects", blobs[1][:2], blobs[1][2:])); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Damaged(t.Context(), trees); err != nil || !slices.Equal(got, trees[1:]) {
		t.Errorf("a file is missing: %v, %v", got, err)
	}
	before := checkLimit
	t.Cleanup(func() { checkLimit = before })
	checkLimit = 10
	if got, err := v.Damaged(t.Context(), trees); err != nil || !slices.Equal(got, trees) {
		t.Errorf("what is damaged is not known: %v, %v", got, err)
	}
}

// TestLinksInACache: a cache may have been packed up by somebody else. What its
// links lead to is neither written nor cleared.
func TestLinksInACache(t *testing.T) {
	person, home := t.TempDir(), t.TempDir()
	kept := map[string]string{"gitconfig": "precious", "repo/config": "precious", "repo/hooks/pre-push": "precious", "repo/objects/info/alternates": "precious"}
	for name, text := range kept {
		path := filepath.Join(person, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"gitconfig": "gitconfig", "blank.git": "repo"} {
		if err := os.Symlink(filepath.Join(person, to), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := NewCommand(home, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(home, "blank.git", "objects")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(person, "repo", "objects"), filepath.Join(home, "blank.git", "objects")); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCommand(home, time.Minute); err != nil {
		t.Fatal(err)
	}
	for name, text := range kept {
		if got, err := os.ReadFile(filepath.Join(person, name)); err != nil || string(got) != text {
			t.Errorf("%s is now %q, %v", name, got, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(home, "gitconfig")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the configuration is %v, %v", info, err)
	}
}
