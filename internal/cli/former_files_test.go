package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestFormerFiles: files that say the former API version are read, with a warning that
// says what to write, once.
func TestFormerFiles(t *testing.T) {
	dir := offlineRepository(t)
	commitAll(t, dir, map[string]string{
		"fleet.yaml":    "apiVersion: causeway.dev/v1alpha1\nkind: Fleet\nclusters: [{name: dev, server: 'https://dev.example.com', labels: {web: 'on'}}]\n",
		"causeway.yaml": strings.Replace(clitest.FleetOfOne, "causeway.io/", "causeway.dev/", 1),
	})
	commitAll(t, dir, map[string]string{"web/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {key: new}\n"})
	for name, text := range map[string]struct{ reason, file string }{
		"Fleet":      {"a file of causeway export fleet", "fleet.yaml"},
		"LocalFleet": {"a file of causeway up", "causeway.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, "preview", "--repo", dir, "--base", "HEAD~1", "--head", "HEAD", "--branch", "main", "--no-fetch", "--credentials", "none",
				"--cache-dir", t.TempDir(), "--clusters", filepath.Join(dir, text.file))
			const want = "apiVersion causeway.dev/v1alpha1 is deprecated; write causeway.io/v1alpha1"
			if got.code == command.ExitUsage || strings.Count(got.errors, want) != 1 || !strings.Contains(got.errors, text.file) {
				t.Errorf("%s: exit %d: %s", text.reason, got.code, got.errors)
			}
		})
	}
	up := invoke(t, "up", "--file", filepath.Join(dir, "causeway.yaml"), "--state-dir", filepath.Join(dir, "set.yaml"))
	if !strings.Contains(up.errors, "is deprecated") {
		t.Errorf("up: exit %d: %s", up.code, up.errors)
	}
}
