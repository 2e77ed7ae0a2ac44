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

// TestClearedHome: the one who clears it holds the lock, and writes to the log.
func TestClearedHome(t *testing.T) {
	home, err := HomeOf(t.TempDir(), "f")
	if err != nil {
		t.Fatal(err)
	}
	if err := home.Clear(); err != nil {
		t.Errorf("what was never started says %v", err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	for _, path := range []string{home.Log(), home.Kubeconfig(), filepath.Join(home.ClusterDir("dev"), "etcd", "db"), filepath.Join(home.Cache(), "x")} {
		if err := WriteFile(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	precious := filepath.Join(t.TempDir(), "precious")
	if err := errors.Join(os.WriteFile(precious, nil, 0o600), os.Symlink(filepath.Dir(precious), filepath.Join(home.Dir(), "link")), home.Clear()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(home.Dir())
	if err != nil || len(entries) != 2 || entries[0].Name() != "lock" || entries[1].Name() != "up.log" || !home.Running() {
		t.Errorf("it has %v, %v", entries, err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("what a link led to: %v", err)
	}
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	home, err := HomeOf(t.TempDir(), "f")
	if err != nil {
		t.Fatal(err)
	}
	signIn, record, applied := filepath.Join(home.Dir(), signInName), filepath.Join(home.Dir(), recordName), home.applied("dev")
	for _, path := range []string{signIn, record, applied} {
		if err := WriteFile(path, []byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := home.SignIn(); err == nil || !strings.Contains(err.Error(), "remove "+signIn) {
		t.Errorf("how to sign in: %v", err)
	}
	if err := home.ForgetAddress(); err == nil || !strings.Contains(err.Error(), "remove "+signIn) {
		t.Errorf("a password is not written over unread: %v", err)
	}
	if _, err := home.Recall(); err == nil || !strings.Contains(err.Error(), "fleet f consists of") {
		t.Errorf("what it consists of: %v", err)
	}
	if _, err := readApplied(applied); err == nil || !strings.Contains(err.Error(), applied) || !strings.Contains(err.Error(), "remove the file") {
		t.Errorf("what was applied: %v", err)
	}
}
