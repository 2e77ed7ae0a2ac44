package privatedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolder(t *testing.T) {
	cases := map[string]struct {
		reason string
		make   func(path string) error
		says   string // empty where it can be used
	}{
		"New":   {"it is made", func(string) error { return nil }, ""},
		"Ours":  {"it was made before", func(p string) error { return os.Mkdir(p, 0o755) }, ""},
		"Link":  {"somebody else says where it leads", func(p string) error { return os.Symlink(filepath.Dir(p), p) }, "it is a link"},
		"Stale": {"nor where a link leads to nothing", func(p string) error { return os.Symlink("nowhere", p) }, "it is a link"},
		"File":  {"a file keeps nothing", func(p string) error { return os.WriteFile(p, nil, 0o600) }, "no folder"},
		"Open":  {"anybody could write to it", func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o777)) }, "chmod go-w"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder")
			if err := tc.make(path); err != nil {
				t.Fatal(err)
			}
			err := Folder(path)
			if tc.says == "" {
				if info, bad := os.Stat(path); err != nil || bad != nil || !info.IsDir() {
					t.Errorf("%s: %v, %v", tc.reason, err, bad)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: it says %v", tc.reason, err)
			}
		})
	}
}

func TestNothingThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder")
	if err := Check(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a look says %v", err)
	}
	if err := Folder(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("it is not for one alone: %v, %v", info, err)
	}
}
