package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// placed gives a user's folder and a checkout with a folder in it.
func placed(t *testing.T) (user, checkout, below string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	user, checkout = filepath.Join(dir, "home"), filepath.Join(dir, "src", "shop")
	below = filepath.Join(checkout, "clusters", "dev")
	if err := errors.Join(os.Mkdir(user, 0o700), os.MkdirAll(below, 0o750)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", user)
	t.Setenv("XDG_STATE_HOME", "")
	return user, checkout, below
}

func stateFolder(t *testing.T, here string) string {
	t.Helper()
	dir, err := StateFolder(here)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestStateIsNotInTheCheckout: whatever a branch brings, it is never where a
// fleet is looked for.
func TestStateIsNotInTheCheckout(t *testing.T) {
	user, checkout, below := placed(t)
	planted := filepath.Join(checkout, ".causeway", "demo")
	err := errors.Join(os.MkdirAll(planted, 0o700), os.WriteFile(filepath.Join(planted, lockName), nil, 0o600),
		os.WriteFile(filepath.Join(planted, "kubeconfig"), []byte("x"), 0o600), os.Symlink("../../..", filepath.Join(below, ".causeway")))
	if err != nil {
		t.Fatal(err)
	}
	for _, here := range []string{checkout, below} {
		dir := stateFolder(t, here)
		if !strings.HasPrefix(dir, filepath.Join(user, ".local", "state", "causeway", "fleets", filepath.Base(here)+"-")) {
			t.Errorf("the state of %s is in %s", here, dir)
		}
		if homes, err := Homes(dir); err != nil || len(homes) > 0 {
			t.Errorf("the fleets of %s are %v, %v", here, homes, err)
		}
	}
}

func TestStateOfFoldersBelow(t *testing.T) {
	_, checkout, below := placed(t)
	home, err := HomeOf(stateFolder(t, checkout), "demo")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	if got := stateFolder(t, below); got != filepath.Dir(home.Dir()) {
		t.Errorf("a folder below has its state in %s", got)
	}
	if got := stateFolder(t, filepath.Dir(checkout)); got == filepath.Dir(home.Dir()) {
		t.Error("the folder above has the same state")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(checkout, link); err != nil {
		t.Fatal(err)
	}
	if got := stateFolder(t, link); got != filepath.Dir(home.Dir()) {
		t.Errorf("by a link the state is in %s", got)
	}
	for dir := filepath.Dir(home.Dir()); filepath.Base(dir) != ".local"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s is not for its user alone: %v, %v", dir, info.Mode(), err)
		}
	}
}

func TestStateOfNobody(t *testing.T) {
	user, checkout, _ := placed(t)
	t.Setenv("XDG_STATE_HOME", filepath.Join(user, "kept"))
	if dir := stateFolder(t, checkout); !strings.HasPrefix(dir, filepath.Join(user, "kept", "causeway")) {
		t.Errorf("XDG_STATE_HOME is left aside: %s", dir)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(user, "kept"), 0o700), os.Symlink(checkout, filepath.Join(user, "kept", "causeway"))); err != nil {
		t.Fatal(err)
	}
	if _, err := StateFolder(checkout); err == nil || !strings.Contains(err.Error(), "it is a link") {
		t.Errorf("a link to somewhere else says %v", err)
	}
	t.Setenv("XDG_STATE_HOME", ".state") // would be in the checkout
	t.Setenv("HOME", "")
	if dir, err := StateFolder(checkout); err == nil || !strings.Contains(err.Error(), "--state-dir") {
		t.Errorf("without a home it is in %s, %v", dir, err)
	}
}
