package preview

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestACheckoutShowsNothingOfTheMachine: whatever addresses a checkout names,
// a preview of it has no file from outside of it, and no credential in it.
func TestACheckoutShowsNothingOfTheMachine(t *testing.T) {
	values := func(repo, file string) map[string]string {
		return map[string]string{
			"chart/Chart.yaml":        "apiVersion: v2\nname: c\nversion: 1.0.0\n",
			"chart/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {it: {{ .Values.t | quote }}}\n",
			"app.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  project: default\n" +
				"  destination: {name: dev, namespace: web}\n  sources:\n  - {repoURL: '" + repo + "', targetRevision: HEAD, ref: m}\n" +
				"  - repoURL: " + clitest.FleetURL + "\n    path: chart\n    targetRevision: HEAD\n    helm: {fileParameters: [{name: t, path: $m/" + file + "}]}\n",
		}
	}
	tests := map[string]struct {
		reason string
		repo   func(s *clitest.Stranger) string
		mirror string
		file   string
		says   string
	}{
		"Mirror": {"a folder of the machine as a mirror", func(*clitest.Stranger) string { return "https://m.example.com" }, "../home", "token", "--mirror"},
		"Link":   {"a link below a mirror", func(*clitest.Stranger) string { return "https://m.example.com/out" }, ".", "token", "--mirror"},
		"State":  {"the state of a local fleet below a mirror", func(*clitest.Stranger) string { return "https://m.example.com/.causeway/f" }, ".", "kubeconfig", "--mirror"},
		"Git":    {"what Git keeps, below a mirror of files", func(*clitest.Stranger) string { return "https://m.example.com/kept" }, ".?worktree", "credentials", "--mirror"},
		"Folder": {"a repository of the machine by its path", func(s *clitest.Stranger) string { return "file://" + s.Home }, ".", "token", "--mirror"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := clitest.NewStranger(t)
			clitest.Git(t, s.Home, "init", "-q", "-b", "main")
			clitest.Git(t, s.Home, "add", "-A")
			clitest.Git(t, s.Home, "commit", "-q", "-m", "mine")
			s.Link("../home", filepath.Join(s.Dir, "out"))
			s.Link(".git", filepath.Join(s.Dir, "kept"))
			s.Write(s.Dir, values(tc.repo(s), tc.file))
			s.Write(s.Dir, map[string]string{"causeway.yaml": clitest.FleetOfOne + "  mirrors: {'https://m.example.com': '" + tc.mirror + "'}\n", ".gitignore": ".causeway\n"})
			s.Save()
			s.Write(s.Dir, map[string]string{".causeway/f/kubeconfig": clitest.MachineSecret, ".git/credentials": clitest.MachineSecret})
			got := clitest.Run(t, New, "--repo", s.Dir, "--base", "HEAD~1", "--clusters", filepath.Join(s.Dir, "causeway.yaml"), "-o", "yaml",
				"--credentials", "none", "--no-fetch", "--cache-dir", t.TempDir())
			if all := got.Out + got.Errors; strings.Contains(all, clitest.MachineSecret) || !strings.Contains(all, tc.says) || got.Code != command.ExitFailed {
				t.Errorf("%s: exit %d: %s", tc.reason, got.Code, all)
			}
		})
	}
}
