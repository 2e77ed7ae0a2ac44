package offline

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCacheOfACheckout: of a cache folder inside of a checkout, no part comes
// from a commit, and no link leads out of it.
func TestCacheOfACheckout(t *testing.T) {
	cases := map[string]struct {
		reason  string
		tracked map[string]string // text, or -> and where a link leads
		brought map[string]string // the same, by an earlier job
		cache   string
		says    string
	}{
		"None":     {"there is no cache yet", nil, nil, ".causeway/cache", ""},
		"Kept":     {"an earlier job kept it", nil, map[string]string{".causeway/cache/renderings/ab/c.render": "x"}, ".causeway/cache", ""},
		"Outside":  {"what is tracked is elsewhere", map[string]string{".causeway/cache/x": "x"}, nil, "../kept", ""},
		"Beside":   {"a lock is tracked, and the cache is not", map[string]string{".causeway/mirror/mirror.lock.yaml": "x"}, nil, ".causeway/cache", ""},
		"Forged":   {"a rendering of the commit would be believed", map[string]string{".causeway/cache/renderings/ab/c.render": "x"}, nil, ".causeway/cache", "Git tracks .causeway/cache/renderings/ab/c.render"},
		"Case":     {"some disks know no case", map[string]string{".Causeway/Cache/x": "x"}, map[string]string{".causeway/cache/y": "y"}, ".causeway/cache", "Git tracks .Causeway/Cache/x"},
		"Links":    {"what is written would go where they lead", map[string]string{".causeway/cache/sources/sources-0/home/gitconfig": "->../../../../../../person/bashrc"}, nil, ".causeway/cache", "Git tracks"},
		"Above":    {"a link above it leads anywhere", map[string]string{".causeway": "->../person"}, nil, ".causeway/cache", "Git tracks .causeway in"},
		"Itself":   {"so does one in its place", map[string]string{".causeway/cache": "->../../person"}, nil, ".causeway/cache", "Git tracks .causeway/cache in"},
		"Bare":     {"a commit may have what looks like a repository", map[string]string{".causeway/HEAD": "ref: refs/heads/main\n", ".causeway/objects/x": "x", ".causeway/refs/x": "x", ".causeway/cache/x": "x"}, nil, ".causeway/cache", "Git tracks .causeway/cache/x"},
		"Top":      {"the checkout is no cache", map[string]string{"README.md": "x"}, nil, ".", "Git tracks README.md"},
		"Unpacked": {"an earlier job may have packed links", nil, map[string]string{".causeway/cache/local": "->../../../person"}, ".causeway/cache", "is a link; remove it"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "checkout")
			lay(t, top, map[string]string{"person/bashrc": "precious"})
			lay(t, dir, map[string]string{"causeway.yaml": "x"})
			lay(t, dir, tc.tracked)
			gitIn(t, dir, "init", "-q")
			gitIn(t, dir, "add", "-A", "-f")
			gitIn(t, dir, "commit", "-q", "-m", "x")
			lay(t, dir, tc.brought)
			o, err := Open(t.Context(), Config{Repo: dir, CacheDir: filepath.Join(dir, tc.cache), NoFetch: true})
			if err == nil {
				o.Close()
			}
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("%s: it says %v", tc.reason, err)
			}
			if text, err := os.ReadFile(filepath.Join(top, "person", "bashrc")); err != nil || string(text) != "precious" {
				t.Errorf("%s: the person's file is %q, %v", tc.reason, text, err)
			}
			if list, err := os.ReadDir(filepath.Join(top, "person")); err != nil || len(list) != 1 {
				t.Errorf("%s: the person's folder has %v, %v", tc.reason, list, err)
			}
		})
	}
}

// gitIn runs Git in a folder, as somebody.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)
	if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

// lay writes files and links.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if to, link := strings.CutPrefix(text, "->"); link && err == nil {
			err = os.Symlink(to, path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
