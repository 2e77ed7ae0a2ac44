package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

// TestCheckoutsTellTerminalsNothing prints what a checkout says, whoever wrote it.
func TestCheckoutsTellTerminalsNothing(t *testing.T) {
	dir := t.TempDir()
	text := "apiVersion: v1\nkind: \"ConfigMap\\e]0;x\\a\"\nmetadata: {name: \"a\\e[2K\\nsecret/b\"}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	app := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\n" +
		"spec: {project: default, source: {repoURL: 'https://git.example.com/a', path: .}, destination: {name: in-cluster, namespace: default}}\n"
	file := filepath.Join(t.TempDir(), "app.yaml")
	if err := os.WriteFile(file, []byte(app), 0o600); err != nil {
		t.Fatal(err)
	}
	got := clitest.Run(t, NewRender, "--file", file, "--mirror", "https://git.example.com/a="+dir, "-o", table.AsName)
	if got.Code == command.ExitFine || got.Out != "" || !strings.Contains(got.Errors, "a.yaml:1") {
		t.Errorf("got %+v", got)
	}
	clitest.OnlySays(t, got.Errors, 1)
}

// TestRenderRefusesWhatTheEngineRefuses: it prints what the engine would apply,
// so nothing of what it would not.
func TestRenderRefusesWhatTheEngineRefuses(t *testing.T) {
	tests := map[string]struct{ reason, metadata, destination, says string }{
		"Fine":        {"nothing is wrong", "name: a", "web", ""},
		"Path":        {"a name that leads elsewhere", "name: ../../kube-system/configmaps/x", "web", "it may not contain '/'"},
		"Namespace":   {"a namespace that does", "name: a, namespace: ../x", "web", "the namespace"},
		"Empty":       {"no name", "name: ''", "web", "without a name"},
		"Destination": {"the namespace of the application", "name: a", "../x", "correct spec.destination.namespace"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "cm.yaml"), []byte("# of tests\napiVersion: v1\nkind: ConfigMap\nmetadata: {"+tc.metadata+"}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			app := filepath.Join(t.TempDir(), "app.yaml")
			text := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  project: default\n" +
				"  source: {repoURL: '" + clitest.FleetURL + "', path: .}\n  destination: {name: dev, namespace: " + tc.destination + "}\n"
			if err := os.WriteFile(app, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got := clitest.Run(t, NewRender, "--file", app, "--mirror", clitest.FleetURL+"="+dir)
			if (got.Code == command.ExitFine) != (tc.says == "") || !strings.Contains(got.Errors, tc.says) {
				t.Errorf("%s: exit %d, %s", tc.reason, got.Code, got.Errors)
			}
			if (got.Out == "") != (tc.says != "") {
				t.Errorf("%s: it prints %q", tc.reason, got.Out)
			}
			if name != "Fine" && name != "Destination" && !strings.Contains(got.Errors, "cm.yaml:2") {
				t.Errorf("%s: it does not say where: %s", tc.reason, got.Errors)
			}
		})
	}
}
