package source

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestStoresLongOutOfUseAreRemoved(t *testing.T) {
	slot, now := t.TempDir(), time.Now()
	old, used := filepath.Join(slot, "git", "old"), filepath.Join(slot, "folders", "used")
	for dir, at := range map[string]time.Time{old: now.Add(-outworn - time.Hour), used: now.Add(-outworn + time.Hour)} {
		if err := os.MkdirAll(filepath.Join(dir, "objects"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	dropOutworn(slot, now)
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the store that nobody opened is still there: %v", err)
	}
	if _, err := os.Stat(used); err != nil {
		t.Errorf("a store in use is gone: %v", err)
	}
}
