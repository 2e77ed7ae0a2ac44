package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMirrorFolderOfACheckout: the folder that counts without being named lies
// in the checkout, and a link in there must not lead commands elsewhere.
func TestMirrorFolderOfACheckout(t *testing.T) {
	cases := map[string]struct {
		reason string
		link   string
	}{
		"State":  {"the folder above it is a link", ".causeway"},
		"Mirror": {"it is a link itself", ".causeway/mirror"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir, other := t.TempDir(), t.TempDir()
			link := filepath.Join(dir, tc.link)
			err := errors.Join(os.MkdirAll(filepath.Join(dir, ".git"), 0o755), os.MkdirAll(filepath.Dir(link), 0o755),
				os.MkdirAll(filepath.Join(other, "mirror"), 0o755), os.Symlink(other, link))
			if err != nil {
				t.Fatal(err)
			}
			o := &Flags{Repo: dir}
			if got, err := o.MirrorFolder(); err == nil || !strings.Contains(err.Error(), link) {
				t.Errorf("writing: %s: got %q, %v", tc.reason, got, err)
			}
			if got, err := o.lockedFolders(); err == nil {
				t.Errorf("reading: %s: got %q", tc.reason, got)
			}
			o.Locked = []string{other}
			if got, err := o.lockedFolders(); err != nil || len(got) != 1 {
				t.Errorf("a folder that is named counts: %q, %v", got, err)
			}
		})
	}
}
