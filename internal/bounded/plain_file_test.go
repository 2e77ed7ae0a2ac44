package bounded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// strangers is a folder with files of all kinds, and one of which nothing may be read.
func strangers(t *testing.T) (dir, outside string) {
	t.Helper()
	dir, outside = t.TempDir(), t.TempDir()
	err := errors.Join(
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600),
		os.MkdirAll(filepath.Join(dir, "sub"), 0o750),
		os.WriteFile(filepath.Join(dir, "sub", "a"), []byte("plain"), 0o600),
		os.Symlink("sub/a", filepath.Join(dir, "inside")),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "out")),
		os.Symlink(outside, filepath.Join(dir, "folder")),
		os.Symlink("/dev/zero", filepath.Join(dir, "device")),
		os.Symlink("nowhere", filepath.Join(dir, "dangling")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir, outside
}

func TestBelow(t *testing.T) {
	dir, _ := strangers(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	tests := map[string]struct {
		reason, name string
		most         int64
		want         string
		absent       bool
	}{
		"Plain":    {reason: "a file", name: "sub/a", most: 5, want: "plain"},
		"Inside":   {reason: "a link that stays in the folder", name: "inside", most: 5, want: "plain"},
		"Long":     {reason: "a file that is too long", name: "sub/a", most: 4},
		"Out":      {reason: "a link to a file elsewhere", name: "out", most: 99},
		"Folder":   {reason: "a link to a folder elsewhere", name: "folder/secret", most: 99},
		"Device":   {reason: "a link to what never ends", name: "device", most: 99},
		"Pipe":     {reason: "what nobody writes into", name: "pipe", most: 99},
		"Above":    {reason: "a path that leads up", name: "../x", most: 99},
		"Itself":   {reason: "a folder", name: "sub", most: 99},
		"Dangling": {reason: "a link to nothing", name: "dangling", most: 99, absent: true},
		"Absent":   {reason: "nothing", name: "x", most: 99, absent: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := Below(dir, tc.name, tc.most)
			if string(text) != tc.want || (err == nil) != (tc.want != "") || errors.Is(err, fs.ErrNotExist) != tc.absent {
				t.Errorf("%s: %q, %v", tc.reason, text, err)
			}
			again, err := fs.ReadFile(FS(root, tc.most), tc.name)
			if string(again) != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("%s, as a tree: %q, %v", tc.reason, again, err)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	dir, outside := strangers(t)
	byLink := filepath.Join(outside, "link")
	if err := os.Symlink(dir, byLink); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason, name, want string
		inside, strays     bool
	}{
		"Itself":   {reason: "the folder", name: dir, want: ".", inside: true},
		"File":     {reason: "a file in it", name: filepath.Join(dir, "sub/a"), want: "sub/a", inside: true},
		"Link":     {reason: "a link that stays in it", name: filepath.Join(dir, "inside"), want: "sub/a", inside: true},
		"Absent":   {reason: "what is not there yet", name: filepath.Join(dir, "sub/b/c"), want: "sub/b/c", inside: true},
		"By link":  {reason: "the folder by another name", name: filepath.Join(byLink, "sub/a"), want: "sub/a", inside: true},
		"Outside":  {reason: "a file elsewhere", name: filepath.Join(outside, "secret")},
		"Above":    {reason: "a path that leads up", name: filepath.Join(dir, "sub") + "/../../x"},
		"Out":      {reason: "a link of the folder to elsewhere", name: filepath.Join(dir, "out"), strays: true},
		"Folder":   {reason: "a file below such a link", name: filepath.Join(dir, "folder/secret"), strays: true},
		"Unmade":   {reason: "what is not there below such a link", name: filepath.Join(dir, "folder/x"), strays: true},
		"Two ways": {reason: "such a link, by another name of the folder", name: filepath.Join(byLink, "out"), strays: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rel, inside, err := Within(dir, tc.name)
			var stray *Stray
			if rel != tc.want || inside != tc.inside || errors.As(err, &stray) != tc.strays || (err != nil) != tc.strays {
				t.Errorf("%s: %q, %t, %v", tc.reason, rel, inside, err)
			}
			if tc.strays && !strings.Contains(err.Error(), outside) {
				t.Errorf("%s: it does not say where it leads: %v", tc.reason, err)
			}
		})
	}
}
