package local

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWhatCountsAsAChange: `up` applies its files again after each of these.
func TestWhatCountsAsAChange(t *testing.T) {
	longAgo := time.Unix(1, 0)
	for name, tc := range map[string]struct {
		reason string
		does   func(dir string) error
		want   bool
	}{
		"Nothing": {"nothing happened", func(string) error { return nil }, false},
		"Longer": {"a file of another length, be it as old", func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/boot/a.yaml", []byte("ab"), 0o600), os.Chtimes(dir+"/boot/a.yaml", longAgo, longAgo))
		}, true},
		"Newer":     {"a file of the same length", func(dir string) error { return os.Chtimes(dir+"/boot/a.yaml", longAgo, time.Unix(2, 0)) }, true},
		"Added":     {"one more below a folder", func(dir string) error { return os.WriteFile(dir+"/boot/deep/b.yaml", nil, 0o600) }, true},
		"Removed":   {"one less", func(dir string) error { return os.Remove(dir + "/boot/a.yaml") }, true},
		"Gone":      {"all of it", func(dir string) error { return os.RemoveAll(dir + "/boot") }, true},
		"Linked":    {"what a link leads to is edited", func(dir string) error { return os.WriteFile(dir+"/real/dev.yaml", []byte("edited"), 0o600) }, true},
		"LinkedDir": {"also in a folder", func(dir string) error { return os.WriteFile(dir+"/real/more.yaml", nil, 0o600) }, true},
		"LinkTurned": {"a link leads elsewhere", func(dir string) error {
			return errors.Join(os.Remove(dir+"/dev.yaml"), os.Symlink("boot/a.yaml", dir+"/dev.yaml"))
		}, true},
		"Beside": {"a file that is none of the fleet's", func(dir string) error { return os.WriteFile(dir+"/other.yaml", nil, 0o600) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"boot/a.yaml": "a", "boot/deep/a.yaml": "", "real/dev.yaml": "dev"})
			if err := errors.Join(os.Symlink("real/dev.yaml", dir+"/dev.yaml"), os.Symlink("real", dir+"/linked"), os.Chtimes(dir+"/boot/a.yaml", longAgo, longAgo)); err != nil {
				t.Fatal(err)
			}
			r := &Running{Fleet: &Fleet{
				Apply:    []string{filepath.Join(dir, "boot"), filepath.Join(dir, "linked"), filepath.Join(dir, "not-there")},
				Clusters: []Cluster{{Name: "hub", Hub: true}, {Name: "dev", Secret: filepath.Join(dir, "dev.yaml")}},
			}}
			before := stamps(r.files())
			if err := tc.does(dir); err != nil {
				t.Fatal(err)
			}
			if changed := !maps.Equal(before, stamps(r.files())); changed != tc.want {
				t.Errorf("%s: changed is %v", tc.reason, changed)
			}
		})
	}
}
