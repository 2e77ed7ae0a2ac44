package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestInstallationsThatCannotBeMeant are refused before a cluster is asked.
func TestInstallationsThatCannotBeMeant(t *testing.T) {
	clitest.Refuses(t, NewImport, map[string]string{
		"argo": `did you mean "argocd"?`, "argocd x": `cannot take the argument "x"`, "argocd -o tree": "use one of table, wide, json, yaml", "argocd --engine helm": "there is no --engine helm: use chart or external", "argocd --timeout 0": "cannot take over within 0s",
		"argocd --apply --revert": "give either --apply or --revert", "argocd --install": "cannot take --install without --apply", "argocd --apply --install --engine external": "cannot take both --install and --engine external",
		"argocd --apply --image x": "without --install", "argocd --set a=b": "without --install", "argocd --values v.yaml": "without --install", "argocd --revert --version 1": "without --install", "argocd --mirror x": "URL=PATH",
	})
	clitest.Refuses(t, NewBootstrap, map[string]string{
		"": "name the repository of the fleet with --repo, or a work tree for its first layout with --scaffold", "x": `cannot take the argument "x"`, "--repo r --commit": "cannot take --commit without --scaffold", "--scaffold . --push": "cannot take --push without --commit",
		"--repo r -o table": `cannot print as "table": use brief or diff`, "--repo r --timeout 0": "give --timeout some time, or add --wait=false", "--repo r --roots adons": "adons",
	})
	clitest.Refuses(t, NewExport, map[string]string{"flet": `did you mean "fleet"?`, "fleet x": `cannot take the argument "x"`})
}

// TestALayoutNeedsNoCluster: it is told, written once, and never over a file.
func TestALayoutNeedsNoCluster(t *testing.T) {
	work := t.TempDir()
	own := filepath.Join(work, "README.md")
	if err := os.WriteFile(own, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) clitest.Left {
		return clitest.Run(t, NewBootstrap, append(args, "--scaffold", work)...)
	}
	told := run("--dry-run", "-o", "diff")
	told.Says(t, "whoever may have it written sees it", command.ExitChanges, "README.md is there already and stays\n", "would write control-plane/addons/metrics-server.yaml\n+")
	if left, err := os.ReadDir(work); err != nil || len(left) != 1 {
		t.Errorf("a dry run leaves %v, %v", left, err)
	}
	run().Says(t, "it is written", command.ExitFine, "wrote control-plane/addons/metrics-server.yaml\n", "commit and push the layout, so that the engine can read it: --commit --push does both\n")
	run("--dry-run").Says(t, "again there is nothing to do", command.ExitFine, "the layout is there: ")
	if text, err := os.ReadFile(own); err != nil || string(text) != "mine\n" {
		t.Errorf("a file is written over: %q, %v", text, err)
	}
	run("--wait=false", "--timeout", "0s").Says(t, "who does not wait needs no time", command.ExitFine, "the layout is there: ")
}
