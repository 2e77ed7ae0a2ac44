package cli

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
	got := invoke(t, "render", "--file", file, "--mirror", "https://git.example.com/a="+dir, "-o", table.AsName)
	if got.code == command.ExitFine || got.out != "" || !strings.Contains(got.errors, "a.yaml:1") {
		t.Errorf("got %+v", got)
	}
	clitest.OnlySays(t, got.errors, 1)
}
