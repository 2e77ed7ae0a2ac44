package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestFleetPreview(t *testing.T) {
	w := newWorkspace(t, "")
	fleet := filepath.Join(t.TempDir(), "fleet")
	copyFleet(t, fleet, w.namespace)
	teamSet(t, fleet, w.namespace)
	config := fmt.Sprintf(`
variable "metrics" { default = false }
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
  addons       = { enable_guestbook = true, enable_metrics = var.metrics }
  metadata     = { addons_repo_url = "https://git.example.com/platform", addons_repo_path = "addons", addons_repo_revision = "HEAD", team_revision = "HEAD" }
  config_wo    = jsonencode({ bearerToken = %q })
}
locals { objects = [causeway_cluster.spoke.object] }
data "causeway_fleet_preview" "this" {
  repository      = %q
  repository_urls = ["https://git.example.com/platform=."]
  changes         = local.objects
}
`, password, fleet)
	w.file("case.tf", config)
	named := w.read("main.tf")
	w.file("main.tf", strings.Replace(named, "namespace =", fmt.Sprintf("causeway_path = %q\n  namespace =", program(t)), 1))
	w.env = []string{"XDG_CACHE_HOME=" + t.TempDir()}
	if out := w.changes("a new cluster"); !strings.Contains(out, "guestbook-spoke on spoke") {
		t.Errorf("the plan does not tell of the applications:\n%s", out)
	}
	w.must("apply")
	w.quiet("nothing changes")
	w.edit("spoke", func(s *corev1.Secret) { s.Labels["team"] = "web" }) // what it selects stays in all that follows
	w.env = append(w.env, "TF_VAR_metrics=true")
	out := w.changes("a switch is turned on")
	if !strings.Contains(out, "Applications: 1 to add, 0 to change, 0 to delete") || !strings.Contains(out, "metrics-spoke on spoke") ||
		!strings.Contains(out, "because of cluster spoke: metadata.labels.enable_metrics false → true") {
		t.Errorf("the plan does not tell of the application and the cause:\n%s", out)
	}
	noSecret(t, "the plan", out, password)
	w.env = w.env[:1]
	for _, tc := range []struct{ reason, old, changed, want, because string }{
		{"the addon is switched off", "enable_guestbook = true", "enable_guestbook = false",
			"Applications: 0 to add, 0 to change, 1 to delete", "metadata.labels.enable_guestbook true → false"},
		{"it comes from another revision", `addons_repo_revision = "HEAD"`, `addons_repo_revision = "next"`,
			"Applications: 0 to add, 2 to change, 0 to delete", "metadata.annotations.addons_repo_revision HEAD → next"},
	} {
		w.file("case.tf", strings.Replace(config, tc.old, tc.changed, 1))
		out := w.changes(tc.reason)
		if !strings.Contains(out, tc.want) || !strings.Contains(out, "guestbook-spoke on spoke") || !strings.Contains(out, tc.because) {
			t.Errorf("%s: the plan does not tell %q and %q:\n%s", tc.reason, tc.want, tc.because, out)
		}
	}
	w.file("case.tf", strings.Replace(config, "team_revision", "team_revison", 1))
	broken := oneLine(w.changes("an annotation that a set needs is misspelt"))
	for _, want := range []string{"Applications: 0 to add, 0 to change, 0 to delete; new failures: 1", "broken: cannot expand ApplicationSet team", `no entry for key "team_revision"`} {
		if !strings.Contains(broken, want) {
			t.Errorf("the plan does not tell %q of a set that fails:\n%s", want, broken)
		}
	}
	w.file("case.tf", strings.Replace(config, `addons_repo_revision = "HEAD"`, `addons_repo_revision = terraform_data.revision.output`, 1)+`
resource "terraform_data" "revision" { input = "HEAD" }
`)
	if out := w.changes("the revision is made by the same apply"); strings.Contains(out, "Applications:") || !strings.Contains(out, "(known after apply)") {
		t.Errorf("a preview of what is not known yet:\n%s", out)
	}
	w.must("apply")
	w.file("main.tf", strings.Replace(named, "namespace =", "causeway_path = \"/nowhere/causeway\"\n  namespace =", 1))
	if out := w.fails("there is no such program", "plan"); !strings.Contains(out, "causeway_path") {
		t.Errorf("got %s", out)
	}
	w.file("main.tf", strings.Replace(named, "namespace =", fmt.Sprintf("causeway_path = %q\n  namespace =", program(t)), 1))
	w.file("case.tf", strings.Replace(config, fleet, filepath.Join(fleet, "nowhere"), 1))
	if out := w.fails("there is no such repository", "plan"); !strings.Contains(out, "nowhere") {
		t.Errorf("got %s", out)
	}
}

// teamSet adds a set that selects clusters by a label of somebody else than
// Terraform, and reads an annotation that has to be there.
func teamSet(t *testing.T, fleet, namespace string) {
	t.Helper()
	text := fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: team, namespace: %s}
spec:
  goTemplate: true
  goTemplateOptions: [missingkey=error]
  generators:
    - clusters: {selector: {matchLabels: {team: web}}}
  template:
    metadata: {name: 'team-{{.name}}'}
    spec:
      project: default
      source: {repoURL: https://git.example.com/platform, path: manifests/metrics, targetRevision: '{{.metadata.annotations.team_revision}}'}
      destination: {name: '{{.name}}', namespace: team}
`, namespace)
	if err := os.WriteFile(filepath.Join(fleet, "addons", "team.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	commit(t, fleet)
}

// copyFleet copies the example's repository, for another control namespace.
func copyFleet(t *testing.T, dir, namespace string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS("../../../examples/embedded/fleet")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "namespace: argocd", "namespace: "+namespace)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, dir)
}
