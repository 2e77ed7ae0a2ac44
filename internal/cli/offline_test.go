package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/preview"
)

const offlineURL = "https://git.example.com/acme/fleet"

// offlineRepository is a checkout with a set over two clusters, one of which
// lacks an annotation, and a chart that cannot be had.
func offlineRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"set.yaml": `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators: [{clusters: {selector: {matchLabels: {web: "on"}}}}]
  template:
    metadata: {name: 'web-{{name}}', annotations: {region: '{{metadata.annotations.region}}'}}
    spec:
      project: default
      source: {repoURL: ` + offlineURL + `, path: web, targetRevision: HEAD}
      destination: {name: '{{name}}', namespace: web}
`,
		"web/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {key: old}\n",
		"db.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: db, namespace: argocd}\nspec:\n  project: default\n" +
			"  source: {repoURL: 'https://charts.example.com', chart: db, targetRevision: 1.2.3}\n  destination: {name: dev, namespace: db}\n",
		"clusters/dev.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dev\n  labels: {argocd.argoproj.io/secret-type: cluster, web: 'on'}\n" +
			"  annotations: {region: eu}\nstringData: {name: dev, server: 'https://dev.example.com'}\n",
		"clusters/prod.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: prod\n  labels: {argocd.argoproj.io/secret-type: cluster, web: 'on'}\n" +
			"stringData: {name: prod, server: 'https://prod.example.com'}\n",
	}
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"remote", "add", "origin", offlineURL}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one"}} {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return dir
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

func TestLintTellsWhereAndWhat(t *testing.T) {
	dir := offlineRepository(t)
	got := runOffline(t, dir, "lint")
	for _, part := range []string{"set.yaml:7", "{{metadata.annotations.region}}", "(on prod)", "chart db", "db"} {
		if !strings.Contains(got.out, part) {
			t.Errorf("the table has no %q:\n%s", part, got.out)
		}
	}
	if !strings.Contains(got.errors, "causeway mirror") || !strings.Contains(got.errors, "3 applications of 1 set on 2 clusters: 1 error, 1 warning") {
		t.Errorf("the summary is:\n%s", got.errors)
	}
	if got.code != 1 {
		t.Errorf("the exit code is %d", got.code)
	}
}

func TestLintForMachines(t *testing.T) {
	got := runOffline(t, offlineRepository(t), "lint", "-o", "json", "--root", "web", "--strict")
	var read preview.LintResult
	if err := json.Unmarshal([]byte(got.out), &read); err != nil {
		t.Fatalf("%v: %s", err, got.out)
	}
	if read.Applications != 2 || len(read.Missing) != 0 || len(read.Warnings) != 1 || read.Warnings[0].Line != 7 || got.code != 1 {
		t.Errorf("code %d, read %+v", got.code, read)
	}
}

func TestGeneratePrintsWhatSetsGive(t *testing.T) {
	dir := offlineRepository(t)
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		out    string
		errors string
	}{
		"Names":   {"all applications", []string{"-o", "name"}, 1, "application/db\napplication/web-dev\napplication/web-prod\n", "is not mirrored"},
		"Set":     {"those of a set", []string{"web", "-o", "name"}, 1, "application/web-dev\napplication/web-prod\n", ""},
		"YAML":    {"whole applications", []string{"web-dev"}, 1, "repoURL: " + offlineURL, ""},
		"Unknown": {"a name that is near", []string{"wep"}, 1, "", `did you mean "web"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := runOffline(t, dir, "generate", tc.args...)
			if !strings.Contains(got.out, tc.out) || !strings.Contains(got.errors, tc.errors) {
				t.Errorf("%s: out %s, errors %s", tc.reason, got.out, got.errors)
			}
		})
	}
}

func TestPreviewOfUncommittedEdits(t *testing.T) {
	dir := offlineRepository(t)
	if got := runOffline(t, dir, "preview", "--base", "HEAD"); got.code != 0 {
		t.Errorf("without edits the code is %d: %s%s", got.code, got.out, got.errors)
	}
	if err := os.WriteFile(filepath.Join(dir, "web", "cm.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {key: new}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runOffline(t, dir, "preview", "--base", "HEAD")
	if got.code != 3 || !strings.Contains(got.out, "web on dev and prod") {
		t.Errorf("code %d: %s%s", got.code, got.out, got.errors)
	}
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
			app := file(t, "app.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  project: default\n"+
				"  source: {repoURL: '"+offlineURL+"', path: .}\n  destination: {name: dev, namespace: "+tc.destination+"}\n")
			got := invoke(t, "render", "--file", app, "--mirror", offlineURL+"="+dir)
			if (got.code == command.ExitFine) != (tc.says == "") || !strings.Contains(got.errors, tc.says) {
				t.Errorf("%s: exit %d, %s", tc.reason, got.code, got.errors)
			}
			if (got.out == "") != (tc.says != "") {
				t.Errorf("%s: it prints %q", tc.reason, got.out)
			}
			if name != "Fine" && name != "Destination" && !strings.Contains(got.errors, "cm.yaml:2") {
				t.Errorf("%s: it does not say where: %s", tc.reason, got.errors)
			}
		})
	}
}

// TestClustersWithoutAServer: Secrets that a LocalFleet completes are no
// clusters by themselves.
func TestClustersWithoutAServer(t *testing.T) {
	dir := offlineRepository(t)
	secret := filepath.Join(dir, "clusters", "dev.yaml")
	if err := os.WriteFile(secret, []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: dev, labels: {argocd.argoproj.io/secret-type: cluster}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lint", "preview"} {
		got := invoke(t, name, "--repo", dir, "--no-fetch", "--cache-dir", t.TempDir())
		if got.code != command.ExitFailed || !strings.Contains(got.errors, "clusters/dev.yaml:1") || !strings.Contains(got.errors, "--clusters FILE") {
			t.Errorf("%s does not say where and what to do: exit %d: %s", name, got.code, got.errors)
		}
	}
}

// TestBridgeOfAnUnknownCluster names what is near, or else the list.
func TestBridgeOfAnUnknownCluster(t *testing.T) {
	dir := offlineRepository(t)
	for name, want := range map[string]string{"prdo": `did you mean "prod"?`, "nowhere-near": "name one of those that `causeway bridge` lists"} {
		if got := runOffline(t, dir, "bridge", name); got.code != command.ExitFailed || !strings.Contains(got.errors, want) {
			t.Errorf("%s: exit %d: %s", name, got.code, got.errors)
		}
	}
}
