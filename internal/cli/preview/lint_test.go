package preview

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestLintTellsWhereAndWhat(t *testing.T) {
	dir := clitest.NewFleet(t)
	got := clitest.Look(t, NewLint, dir)
	for _, part := range []string{"set.yaml:7", "{{metadata.annotations.region}}", "(on prod)", "chart db", "db"} {
		if !strings.Contains(got.Out, part) {
			t.Errorf("the table has no %q:\n%s", part, got.Out)
		}
	}
	if !strings.Contains(got.Errors, "causeway mirror") || !strings.Contains(got.Errors, "3 applications of 1 set on 2 clusters: 1 error, 1 warning") {
		t.Errorf("the summary is:\n%s", got.Errors)
	}
	if got.Code != 1 {
		t.Errorf("the exit code is %d", got.Code)
	}
}

func TestLintForMachines(t *testing.T) {
	got := clitest.Look(t, NewLint, clitest.NewFleet(t), "-o", "json", "--root", "web", "--strict")
	var read LintResult
	if err := json.Unmarshal([]byte(got.Out), &read); err != nil {
		t.Fatalf("%v: %s", err, got.Out)
	}
	if read.Applications != 2 || len(read.Missing) != 0 || len(read.Warnings) != 1 || read.Warnings[0].Line != 7 || got.Code != 1 {
		t.Errorf("code %d, read %+v", got.Code, read)
	}
}

// TestClustersWithoutAServer: Secrets that a LocalFleet completes are no
// clusters by themselves.
func TestClustersWithoutAServer(t *testing.T) {
	dir := clitest.NewFleet(t)
	secret := filepath.Join(dir, "clusters", "dev.yaml")
	if err := os.WriteFile(secret, []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: dev, labels: {argocd.argoproj.io/secret-type: cluster}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, made := range map[string]func(*command.Global) *cobra.Command{"lint": NewLint, "preview": New} {
		got := clitest.Run(t, made, "--repo", dir, "--no-fetch", "--cache-dir", t.TempDir())
		if got.Code != command.ExitFailed || !strings.Contains(got.Errors, "clusters/dev.yaml:1") || !strings.Contains(got.Errors, "--clusters FILE") {
			t.Errorf("%s does not say where and what to do: exit %d: %s", name, got.Code, got.Errors)
		}
	}
}

func TestLintChecksMetadataSchemas(t *testing.T) {
	dir := clitest.NewShop(t)
	const loose, strict = "  - {key: shop_replicas, type: integer}\n", "  - {key: shop_replicas, type: integer, enum: ['1', '2']}\n  - {key: region, pattern: '[a-z]+-[0-9]'}\n"
	write := func(enforcement, rules string) {
		text := "apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: fleet, namespace: argocd}\nspec:\n  enforcement: " + enforcement +
			"\n  keys:\n  - {key: environment, in: label, required: true}\n" + rules
		if err := os.WriteFile(filepath.Join(dir, "schema.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("Deny", strict)
	got := clitest.Look(t, NewLint, dir, "--root", "shop", "-o", "wide")
	if got.Code != 1 || !strings.Contains(got.Out, "clusters/dev.yaml:1") ||
		!strings.Contains(got.Out, "label environment is required (MetadataSchema fleet, schema.yaml:1) (on dev)") {
		t.Errorf("code %d: %s%s", got.Code, got.Out, got.Errors)
	}
	for _, want := range []string{"annotation shop_replicas must be one of 1, 2", "annotation region must match [a-z]+-[0-9]"} {
		if !strings.Contains(got.Out, want) {
			t.Errorf("lint does not tell %q:\n%s", want, got.Out)
		}
	}
	write("Warn", loose)
	if got := clitest.Look(t, NewLint, dir, "--root", "shop", "-o", "json"); got.Code != 0 || !strings.Contains(got.Out, "BrokenMetadataRule") {
		t.Errorf("a warning: code %d: %s%s", got.Code, got.Out, got.Errors)
	}

	// A file besides the repository; a change that breaks its rule shows in a preview.
	schema := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.Rename(filepath.Join(dir, "schema.yaml"), schema); err != nil {
		t.Fatal(err)
	}
	got = clitest.Look(t, New, dir, "--base", "HEAD", "--metadata-schema", schema, "-o", "json")
	if !strings.Contains(got.Out, "label environment is required") {
		t.Errorf("the preview does not tell: code %d: %s%s", got.Code, got.Out, got.Errors)
	}
	if err := os.WriteFile(schema, []byte("apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: fleet}\nspec: {keys: [{key: a, pattern: '('}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := clitest.Look(t, NewLint, dir, "--metadata-schema", schema); got.Code == 0 || !strings.Contains(got.Errors, "pattern") {
		t.Errorf("a schema that makes no sense: code %d: %s%s", got.Code, got.Out, got.Errors)
	}
}
