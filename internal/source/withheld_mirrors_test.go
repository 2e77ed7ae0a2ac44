package source

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/lockfile"
)

// TestMirrorsAreWithheld reads what is only in folders for a project that does not
// permit it.
func TestMirrorsAreWithheld(t *testing.T) {
	dir, charts, vendor := newRepository(t), t.TempDir(), filepath.Join(t.TempDir(), "vendor")
	write(t, charts, "web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.2.3\n")
	mirrors := []Mirror{{URL: "https://git.corp/", Path: filepath.Dir(dir)}, {URL: "https://charts.corp", Path: charts}, {URL: "oci://registry.corp/charts", Path: charts}}
	locked := gitops.SourceRef{RepoURL: "https://git.corp/repo", Revision: "main"}
	m, err := lockfile.Open(vendor, lockfile.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	if _, err := m.Add(t.Context(), snap(t, newRegistry(t, Options{Mirrors: mirrors}), locked)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opts Options
		ref  gitops.SourceRef
	}{
		"repository": {Options{Mirrors: mirrors}, gitops.SourceRef{RepoURL: "https://git.corp/repo"}},
		"chart":      {Options{Mirrors: mirrors}, gitops.SourceRef{RepoURL: "https://charts.corp", Chart: "web"}},
		"registry":   {Options{Mirrors: mirrors}, gitops.SourceRef{RepoURL: "oci://registry.corp/charts", Chart: "web"}},
		"locked":     {Options{Locked: []string{vendor}, Offline: true}, locked},
	} {
		t.Run(name, func(t *testing.T) {
			c.ref.Project, c.ref.Anonymous = "ours", true
			r := newRegistry(t, c.opts)
			_, err := r.Snapshot(t.Context(), c.ref)
			if p := problem(t, err); p.Kind != gitops.Refused || !strings.Contains(p.Error(), "spec.sourceRepos") {
				t.Errorf("got %v", err)
			}
			c.ref.Anonymous = false
			snap(t, r, c.ref)
			c.ref.Anonymous, c.opts.PrivateHosts = true, true
			snap(t, newRegistry(t, c.opts), c.ref) // on the machine of who uses it
		})
	}
}
