package command

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestFilesAreOpenedAsTheyAreRead: by the same rules, for who reads as it comes.
func TestFilesAreOpenedAsTheyAreRead(t *testing.T) {
	checkout, own := given(t)
	for path, want := range map[string]string{
		filepath.Join(own, "token"): "secret", filepath.Join(checkout, "clusters", "dev.yaml"): "kind: A\n", filepath.Join(checkout, "inside"): "kind: A\n",
		filepath.Join(checkout, "git"): "", filepath.Join(checkout, "nowhere"): "", filepath.Join(checkout, "clusters"): "",
	} {
		f, err := OpenNamed(path)
		if (err == nil) != (want != "") {
			t.Errorf("%s: %v", path, err)
		}
		if err != nil {
			continue
		}
		text, err := io.ReadAll(f)
		if err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPipesOfACheckoutKeepNobodyWaiting: whoever wrote it could hold a command for ever.
func TestPipesOfACheckoutKeepNobodyWaiting(t *testing.T) {
	checkout, _ := given(t)
	pipe := filepath.Join(checkout, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadNamed(pipe, 99); err == nil {
		t.Error("a pipe is read")
	}
	if f, err := OpenNamed(pipe); err == nil {
		_ = f.Close()
		t.Error("a pipe is opened")
	}
	if err := Steady("plugin-dir", pipe); err == nil || !strings.HasSuffix(err.Error(), "pipe is no file") {
		t.Errorf("a pipe is steady: %v", err)
	}
}

// TestCheckoutsAreFoundUpwards, the nearest first: that of a submodule before that which has it, by each name of a folder.
func TestCheckoutsAreFoundUpwards(t *testing.T) {
	checkout, own := given(t)
	inner := filepath.Join(checkout, "modules", "inner")
	for _, dir := range []string{filepath.Join(inner, ".git", "objects"), filepath.Join(inner, ".git", "refs"), filepath.Join(inner, "deep")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(inner, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(own, "alias")
	if err := os.Symlink(inner, alias); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason, folder string
		want           []string
	}{
		"within":  {"both have it", filepath.Join(inner, "deep"), []string{inner, checkout}},
		"itself":  {"a checkout is in itself", checkout, []string{checkout}},
		"later":   {"one that is not there yet is where it will be", filepath.Join(checkout, "later", "deep"), []string{checkout}},
		"by link": {"a link leads into both, whatever it lies in", alias, []string{inner, checkout}},
		"outside": {"nobody else wrote it", own, nil},
	}
	for name, c := range cases {
		if got := CheckoutsAround(c.folder); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s: %q", name, c.reason, got)
		}
	}
	if n, err := NameIn(filepath.Join(inner, "deep"), CheckoutsAround(filepath.Join(inner, "deep"))); err != nil || n.top != inner || n.rel != "deep" {
		t.Errorf("it is %+v: %v", n, err)
	}
}
