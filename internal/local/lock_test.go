package local

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestLock(t *testing.T) {
	home, err := HomeOf(t.TempDir(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if home.Exists() || home.Running() {
		t.Error("a fleet that was never started neither exists nor runs")
	}
	if err := home.Stop(t.Context()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("stopping it says %v", err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if !home.Running() {
		t.Error("it runs while the lock is held")
	}
	if pid, err := home.pid(); err != nil || pid != os.Getpid() {
		t.Errorf("the holder is %d, %v", pid, err)
	}
	_, err = home.Lock()
	if !errors.Is(err, ErrRunning) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("a second start says %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if home.Running() || !home.Exists() {
		t.Error("afterwards it exists and does not run")
	}
}

func TestAnOldProcessIDIsNeverBelieved(t *testing.T) {
	home, err := HomeOf(t.TempDir(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	// As after kill -9: the ID is still in the file, the lock is gone.
	if err := lock.file.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := home.Stop(t.Context()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("stopping it says %v", err)
	}
	again, err := home.Lock()
	if err != nil {
		t.Fatalf("it cannot be started again: %v", err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

func TestHomes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		home, err := HomeOf(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		lock, err := home.Lock()
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir+"/other", 0o700); err != nil {
		t.Fatal(err)
	}
	homes, err := Homes(dir)
	if err != nil || len(homes) != 2 || homes[0].Fleet() != "a" {
		t.Errorf("got %v, %v", homes, err)
	}
	if homes, err := Homes(dir + "/none"); err != nil || homes != nil {
		t.Errorf("a folder that is not there has no fleets: %v, %v", homes, err)
	}
}

// TestLockOfAnotherFleet: a folder whose lock is a link to that of a fleet that
// runs is none of its homes: what lies beside the link, such as a kubeconfig
// with a program, is somebody else's.
func TestLockOfAnotherFleet(t *testing.T) {
	dir := t.TempDir()
	running, err := HomeOf(dir, "mine")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := running.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	free := filepath.Join(dir, "precious")
	if err := os.WriteFile(free, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"runs": filepath.Join(running.Dir(), lockName), "free": free} {
		home, err := HomeOf(filepath.Join(dir, "checkout"), name)
		if err == nil {
			err = errors.Join(os.MkdirAll(home.Dir(), 0o700), os.Symlink(to, filepath.Join(home.Dir(), lockName)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if home.Exists() || home.Running() {
			t.Errorf("%s: it is taken for a fleet", name)
		}
		if _, err := home.Lock(); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%s: starting it says %v", name, err)
		}
	}
	if homes, err := Homes(filepath.Join(dir, "checkout")); err != nil || len(homes) > 0 {
		t.Errorf("the fleets of the checkout are %v, %v", homes, err)
	}
	if text, err := os.ReadFile(free); err != nil || string(text) != "precious" {
		t.Errorf("what the lock leads to is now %q, %v", text, err)
	}
}
