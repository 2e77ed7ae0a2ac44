package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHomeIsMadeByUp: a folder of the person's that a fleet has the name of, by
// a link or without, is no state: it is neither used nor cleared.
func TestHomeIsMadeByUp(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  func(person string) (string, error)
		says   string
	}{
		"StateIsALink": {"a link leads out of the checkout", func(person string) (string, error) {
			link := filepath.Join(person, "checkout")
			return link, os.Symlink(".", link)
		}, "it is a link"},
		"HomeIsALink": {"so does one that has the name of the fleet", func(person string) (string, error) {
			dir := filepath.Join(person, "state")
			return dir, errors.Join(os.Mkdir(dir, 0o700), os.Symlink("../documents", filepath.Join(dir, "documents")))
		}, "it is a link"},
		"Named": {"the name alone is enough", func(person string) (string, error) { return person, nil }, "other things than the state of a fleet, such as thesis.txt"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			person := t.TempDir()
			precious := filepath.Join(person, "documents", "thesis.txt")
			if err := errors.Join(os.Mkdir(filepath.Dir(precious), 0o700), os.WriteFile(precious, []byte("precious"), 0o600)); err != nil {
				t.Fatal(err)
			}
			state, err := tc.state(person)
			if err != nil {
				t.Fatal(err)
			}
			home, err := HomeOf(state, "documents")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := home.Lock(); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: starting it says %v", tc.reason, err)
			}
			entries, err := os.ReadDir(filepath.Dir(precious))
			if err != nil || len(entries) != 1 || home.Exists() {
				t.Errorf("%s: the folder has %v, %v, and is a home: %t", tc.reason, entries, err, home.Exists())
			}
		})
	}
}

// TestHomeByALink: a lock that is where a link leads is another fleet's.
func TestHomeByALink(t *testing.T) {
	dir := t.TempDir()
	mine, err := HomeOf(filepath.Join(dir, "state"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := mine.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	err = errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o700), os.Symlink(mine.Dir(), filepath.Join(dir, "a", "mine")), os.Symlink("state", filepath.Join(dir, "b")))
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"a", "b"} {
		home, err := HomeOf(filepath.Join(dir, state), "mine")
		if err != nil || home.Exists() || home.Running() {
			t.Errorf("%s: it is taken for a fleet: %v", state, err)
		}
	}
}
