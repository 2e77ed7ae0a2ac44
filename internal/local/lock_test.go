package local

import (
	"errors"
	"os"
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
