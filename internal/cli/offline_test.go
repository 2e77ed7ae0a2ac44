package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

const offlineURL = clitest.FleetURL

// offlineRepository is the checkout that commands are tried at.
func offlineRepository(t *testing.T) string {
	t.Helper()
	return clitest.NewFleet(t)
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func runOffline(t *testing.T, dir, name string, args ...string) result {
	t.Helper()
	return invoke(t, append([]string{name, "--repo", dir, "--clusters", filepath.Join(dir, "clusters"), "--no-fetch", "--cache-dir", t.TempDir()}, args...)...)
}
