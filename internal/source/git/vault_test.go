package git

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

// TestFoldersWithoutFilesCount has folders of folders that hold no file at all.
func TestFoldersWithoutFilesCount(t *testing.T) {
	dir := t.TempDir()
	c, err := NewCommand(filepath.Join(dir, "home"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	v := NewVault(c, filepath.Join(dir, "vault"), cache.New[string, any](8<<20), 1<<20)
	defer v.Close()
	_, err = v.Take(t.Context(), walktest.Bomb{Deep: 10}, VaultLimits{Bytes: 1 << 20, Files: 1000})
	if err == nil || !strings.Contains(err.Error(), "over the limit of one tree") {
		t.Errorf("they are copied without an end: %v", err)
	}
}
