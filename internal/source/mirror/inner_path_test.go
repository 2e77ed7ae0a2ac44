package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestBelow: what lies below a mirror's folder is chosen by whoever writes an
// address, and in a repository the links are somebody's whom nobody asked.
func TestBelow(t *testing.T) {
	top := t.TempDir()
	err := errors.Join(
		os.MkdirAll(filepath.Join(top, "elsewhere/.causeway"), 0o750), os.MkdirAll(filepath.Join(top, "farm/.causeway/f"), 0o750),
		os.MkdirAll(filepath.Join(top, "checkout/charts/web"), 0o750), os.MkdirAll(filepath.Join(top, "checkout/.git/refs"), 0o750),
		os.MkdirAll(filepath.Join(top, "checkout/.git/objects"), 0o750), os.WriteFile(filepath.Join(top, "checkout/.git/HEAD"), nil, 0o600),
		os.Symlink("../elsewhere", filepath.Join(top, "checkout/out")), os.Symlink(".git", filepath.Join(top, "checkout/kept")),
		os.Symlink("../web", filepath.Join(top, "checkout/charts/up")), os.Mkdir(filepath.Join(top, "checkout/web"), 0o750),
		os.Symlink("../../elsewhere", filepath.Join(top, "checkout/charts/out")), os.Symlink("../.git", filepath.Join(top, "checkout/charts/kept")),
		os.Symlink("../elsewhere", filepath.Join(top, "farm/repo")), os.Symlink("checkout", filepath.Join(top, "link")),
	)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason, folder, rest string
		refused              bool
	}{
		"Itself":     {"the folder", "checkout", "", false},
		"Folder":     {"a folder in it", "checkout", "charts/web", false},
		"Absent":     {"what is not there", "checkout", "charts/x", false},
		"Link":       {"a link that stays in the repository", "checkout/charts", "up", false},
		"Out":        {"a link that leaves the repository", "checkout", "out", true},
		"BelowOut":   {"what lies below it", "checkout", "out/x", true},
		"OutOfPart":  {"the same in a folder of the repository", "checkout/charts", "out", true},
		"ByLink":     {"the same where the folder is named by a link", "link", "out", true},
		"Git":        {"what Git keeps", "checkout", ".git/refs", true},
		"GitCase":    {"the same on disks that do not tell cases", "checkout", ".GIT", true},
		"GitByLink":  {"the same by a link", "checkout", "kept", true},
		"GitUp":      {"the same by a link upward", "checkout/charts", "kept", true},
		"State":      {"what a local fleet keeps", "farm", ".causeway/f", true},
		"SideBySide": {"links to repositories, in none", "farm", "repo", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := Mirror{URL: "https://h", Path: filepath.Join(top, tc.folder)}
			path, err := m.Below(tc.rest)
			if (err != nil) != tc.refused || err == nil && path != filepath.Join(m.Path, tc.rest) {
				t.Errorf("%s: %s, %v", tc.reason, path, err)
			}
		})
	}
}
