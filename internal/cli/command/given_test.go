package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/source"
)

// given is a checkout beside a folder of the person's own.
func given(t *testing.T) (checkout, own string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	checkout, own = filepath.Join(top, "checkout"), filepath.Join(top, "own")
	for path, text := range map[string]string{
		filepath.Join(checkout, ".git", "HEAD"): "ref: refs/heads/main\n", filepath.Join(checkout, "clusters", "dev.yaml"): "kind: A\n", filepath.Join(checkout, ".causeway", "f", "lock"): "", filepath.Join(own, "token"): "secret",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(checkout, ".git", dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": filepath.Join(own, "token"), "inside": filepath.Join("clusters", "dev.yaml"), "git": filepath.Join(".git", "HEAD")} {
		if err := os.Symlink(to, filepath.Join(checkout, name)); err != nil {
			t.Fatal(err)
		}
	}
	return checkout, own
}

// TestFilesThatFlagsNameAreReadWhereTheyLie: a link of a checkout leads nowhere that who wrote it chose.
func TestFilesThatFlagsNameAreReadWhereTheyLie(t *testing.T) {
	checkout, own := given(t)
	cases := map[string]struct {
		reason, path string
		most         int64
		want         string
	}{
		"own":        {"it is the person's", filepath.Join(own, "token"), 99, "secret"},
		"of it":      {"a file of the checkout", filepath.Join(checkout, "clusters", "dev.yaml"), 99, "kind: A\n"},
		"link in it": {"a link that stays there", filepath.Join(checkout, "inside"), 99, "kind: A\n"},
		"link out":   {"one that leads out", filepath.Join(checkout, "out"), 99, ""},
		"link git":   {"or to what Git keeps for itself", filepath.Join(checkout, "git"), 99, ""},
		"git itself": {"who says so means it", filepath.Join(checkout, ".git", "HEAD"), 99, "ref: refs/heads/main\n"},
		"large":      {"no more than it may have", filepath.Join(own, "token"), 3, ""},
		"folder":     {"a folder is no file", filepath.Join(checkout, "clusters"), 99, ""},
		"missing":    {"nor is what is not there", filepath.Join(checkout, "nowhere"), 99, ""},
	}
	for name, c := range cases {
		got, err := ReadNamed(c.path, c.most)
		if string(got) != c.want && c.want != "" || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s: %q, %v", name, c.reason, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells what is there: %v", name, err)
		}
	}
	if f, err := OpenNamed(filepath.Join(checkout, "out")); err == nil {
		_ = f.Close()
		t.Error("a link out of the checkout is opened")
	}
}

// TestFoldersThatFlagsNameStaySteady: what could have readers wait, or be elsewhere, is refused by the flag's name.
func TestFoldersThatFlagsNameStaySteady(t *testing.T) {
	checkout, own := given(t)
	for path, fine := range map[string]bool{filepath.Join(checkout, "clusters"): true, filepath.Join(checkout, "later"): true, own: true, filepath.Join(checkout, "out"): false} {
		err := Steady("mirror-dir", own, path)
		if (err == nil) != fine || err != nil && !strings.HasPrefix(err.Error(), "cannot use --mirror-dir: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestMirrorsThatAFileMayName: of a checkout only folders of that, and no private ones.
func TestMirrorsThatAFileMayName(t *testing.T) {
	checkout, own := given(t)
	stranger, err := NameIn(filepath.Join(checkout, "clusters"), []string{checkout})
	if err != nil {
		t.Fatal(err)
	}
	mine, err := NameIn(own, []string{checkout})
	if err != nil {
		t.Fatal(err)
	}
	for path, permitted := range map[string]bool{filepath.Join(checkout, "charts"): true, checkout: true, own: false, filepath.Join(checkout, ".git"): false, filepath.Join(checkout, "out"): false} {
		m := source.Mirror{URL: "https://git.example.com/a", Path: path}
		if got := stranger.Permits(m); got != permitted {
			t.Errorf("a file of the checkout and %s: %v", path, got)
		}
		if !mine.Permits(m) {
			t.Errorf("a person's own file may not name %s", path)
		}
	}
	if err := stranger.Refusal(nil); err != nil {
		t.Errorf("nothing is refused: %v", err)
	}
	refused := stranger.Refusal([]string{"https://a", "https://b"})
	if refused == nil || !strings.Contains(refused.Error(), "https://a, https://b") || !strings.Contains(refused.Error(), "--mirror URL=PATH") {
		t.Errorf("it does not say which, and what to do: %v", refused)
	}
}

// TestMirrorsThatCannotBeMeant are usage errors, before anything is read.
func TestMirrorsThatCannotBeMeant(t *testing.T) {
	for _, text := range []string{"", "x", "=x", "https://git.example.com/a="} {
		if _, err := ParseMirrors([]string{text}); ExitCode(err) != ExitUsage {
			t.Errorf("--mirror %q: %v", text, err)
		}
	}
	checkout, _ := given(t)
	if _, err := SteadyMirrors([]string{"https://git.example.com/a=" + filepath.Join(checkout, "out")}); err == nil {
		t.Error("a link out of the checkout is served")
	}
}
