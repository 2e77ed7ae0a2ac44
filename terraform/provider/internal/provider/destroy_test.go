package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// neverEnding are an Application whose first wave never gets healthy, and a
// set's whose hook never ends.
const neverEnding = `
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
  server       = "HOST"
  config_wo    = file("${path.module}/config.json")
}

resource "causeway_project" "team" {
  name         = "team"
  source_repos = ["*"]
  destinations = [{ name = causeway_cluster.spoke.cluster_name, namespace = "TARGET" }]
}

resource "causeway_application" "waves" {
  name        = "waves"
  project     = causeway_project.team.name
  source      = { repo_url = "https://git.example.com/waiting", path = "waves" }
  destination = { name = causeway_cluster.spoke.cluster_name, namespace = "TARGET" }
  finalizers  = ["resources-finalizer.argocd.argoproj.io"]
  sync_policy = { automated = { prune = true } }
}

resource "causeway_applicationset" "hooked" {
  name       = "hooked"
  generators = jsonencode([{ clusters = { selector = { matchLabels = { cluster_name = causeway_cluster.spoke.cluster_name } } } }])
  template = {
    name        = "hooked-{{name}}"
    project     = causeway_project.team.name
    source      = { repo_url = "https://git.example.com/waiting", path = "hooked" }
    destination = { name = "{{name}}", namespace = "TARGET" }
    sync_policy = { automated = { prune = true } }
  }
}
`

var neverEndingFiles = map[string]string{
	"hooked/hook.yaml": `
apiVersion: batch/v1
kind: Job
metadata:
  name: before
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  template:
    metadata: {annotations: {kube.causeway.io/never-ready: "true"}}
    spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/before}]}
`,
	"hooked/after.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: after-the-hook}\n",
	"waves/first.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: first}
spec:
  selector: {matchLabels: {app: first}}
  template:
    metadata: {labels: {app: first}, annotations: {kube.causeway.io/never-ready: "true"}}
    spec: {containers: [{name: main, image: registry.example.com/first}]}
`,
	"waves/second.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: second, annotations: {argocd.argoproj.io/sync-wave: \"1\"}}\n",
}

// newNeverEnding applies neverEnding with an engine that runs, and returns the
// namespace that is deployed to when both Applications are amid their sync.
func newNeverEnding(t *testing.T) (w *workspace, target string) {
	t.Helper()
	target = embeddedtest.Namespace(t, hub)
	w = newWorkspace(t, strings.NewReplacer("HOST", hub.Host, "TARGET", target).Replace(neverEnding))
	w.login()
	repository := t.TempDir()
	for name, text := range neverEndingFiles {
		path := filepath.Join(repository, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, repository)
	engineRuns(t, "--install-crds", "--namespace", w.namespace, "--mirror", "https://git.example.com/waiting="+repository)
	w.must("apply")
	for app, object := range map[string]string{"hooked-spoke": "before", "waves": "first"} {
		w.eventually(func() bool {
			o, err := w.objects("applications").Get(t.Context(), app, metav1.GetOptions{})
			if err != nil {
				return false
			}
			phase, _, _ := unstructured.NestedString(o.Object, "status", "operationState", "phase")
			message, _, _ := unstructured.NestedString(o.Object, "status", "operationState", "message")
			return phase == "Running" && strings.Contains(message, object)
		})
	}
	return w, target
}

// leftovers are what a destroy left: objects of the engine, and what these deployed.
func (w *workspace) leftovers(target string) []string {
	w.t.Helper()
	var out []string
	for _, kind := range []string{"applications", "applicationsets", "appprojects"} {
		list, err := w.objects(kind).List(w.t.Context(), metav1.ListOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range list.Items {
			if name := kind + "/" + list.Items[i].GetName(); name != "appprojects/default" { // the engine's own
				out = append(out, name)
			}
		}
	}
	c := client(w.t)
	jobs, err := c.BatchV1().Jobs(target).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	deployments, err := c.AppsV1().Deployments(target).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	secrets, err := c.CoreV1().Secrets(w.namespace).List(w.t.Context(), metav1.ListOptions{LabelSelector: "argocd.argoproj.io/secret-type"})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, n := range []struct {
		kind  string
		count int
	}{{"jobs", len(jobs.Items)}, {"deployments", len(deployments.Items)}, {"secrets", len(secrets.Items)}} {
		if n.count > 0 {
			out = append(out, fmt.Sprintf("%d %s", n.count, n.kind))
		}
	}
	return out
}

// leavingFleet is a set whose addon a cluster has or has not.
const leavingFleet = `
variable "on" { default = true }

resource "causeway_applicationset" "addon" {
  name       = "addon"
  generators = jsonencode([{ clusters = { selector = { matchLabels = { enable_addon = "true" } } } }])
  template = {
    name        = "addon-{{name}}"
    project     = "default"
    source      = { repo_url = "https://git.example.com/leaving", path = "." }
    destination = { name = "{{name}}", namespace = "TARGET" }
    sync_policy = { automated = { prune = true } }
  }
}
`

const leavingSpoke = `
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
  server       = "HOST"
  addons       = { enable_addon = var.on }
  config_wo    = file("${path.module}/config.json")
}
`

// newLeaving is a fleet with a spoke and an engine that runs; deployed reports
// whether the addon is there.
func newLeaving(t *testing.T, fleet string) (w *workspace, fill *strings.Replacer, deployed func() bool) {
	t.Helper()
	target := embeddedtest.Namespace(t, hub)
	fill = strings.NewReplacer("HOST", hub.Host, "TARGET", target)
	w = newWorkspace(t, fill.Replace(fleet+leavingSpoke))
	w.login()
	repository := t.TempDir()
	if err := os.WriteFile(filepath.Join(repository, "cm.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: addon}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	commit(t, repository)
	engineRuns(t, "--install-crds", "--namespace", w.namespace, "--mirror", "https://git.example.com/leaving="+repository)
	deployed = func() bool {
		_, err := client(t).CoreV1().ConfigMaps(target).Get(t.Context(), "addon", metav1.GetOptions{})
		return err == nil
	}
	return w, fill, deployed
}

// guardedFleet is leavingFleet whose set deletes nothing by itself.
var guardedFleet = strings.Replace(leavingFleet, `"addon"
  generators`, `"addon"
  annotations = { "causeway.io/deletion-guard" = "0% min 1" }
  generators`, 1)

// TestGuardHoldsWhatAnApplyTakesAway: an apply that switches an addon off ends,
// and what the set would delete then waits for an approval. To destroy the set
// is a person's word, for which nothing waits.
func TestGuardHoldsWhatAnApplyTakesAway(t *testing.T) {
	w, _, deployed := newLeaving(t, guardedFleet)
	held := func() bool { return w.held("addon") != "" }
	takeAway := func() {
		t.Helper()
		w.must("apply", "-var=on=true")
		w.eventually(func() bool { return deployed() && !held() })
		w.must("apply", "-var=on=false")
		w.eventually(held)
		if !deployed() || !w.exists("applications", "addon-spoke") {
			t.Fatal("what the guard holds is gone")
		}
	}
	takeAway()
	w.env = []string{"TF_VAR_on=false"}
	w.quiet("what waits for an approval is no change of the configuration")
	if said := w.approve("addon"); !strings.Contains(said, "addon-spoke") {
		t.Errorf("what was approved is %s", said)
	}
	w.eventually(func() bool { return !w.exists("applications", "addon-spoke") })
	if deployed() {
		t.Error("what the addon deployed outlives it")
	}

	takeAway()
	w.must("destroy", "-target=causeway_applicationset.addon")
	if deployed() || w.exists("applications", "addon-spoke") {
		t.Error("the set went without what it made")
	}
}

// held is what the guard says of the deletions of a set that it holds; empty for none.
func (w *workspace) held(set string) string {
	o, err := w.objects("applicationsets").Get(w.t.Context(), set, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range all {
		m, ok := c.(map[string]any)
		if ok && m["type"] == "DeletionHeld" && m["status"] == "True" {
			return fmt.Sprint(m["message"])
		}
	}
	return ""
}

// approve lets the deletions of a set go that are held, and returns what it said.
func (w *workspace) approve(set string) string {
	w.t.Helper()
	approve := exec.CommandContext(w.t.Context(), program(w.t), "approve", "set/"+set, "--yes", "--kubeconfig", kubeconfig, "--namespace", w.namespace)
	said, err := approve.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v: %s", err, said)
	}
	return string(said)
}

// threeSpokes are clusters with an Application of each of two sets: one that has the
// limits of every installation, and one that deletes nothing by itself.
const threeSpokes = `
variable "names" {
  type    = set(string)
  default = ["a", "b", "c"]
}

resource "causeway_applicationset" "all" {
  for_each    = { free = "", strict = "0% min 1" }
  name        = each.key
  annotations = each.value == "" ? {} : { "causeway.io/deletion-guard" = each.value }
  generators  = jsonencode([{ clusters = { selector = { matchLabels = { enable_addon = "true" } } } }])
  template = {
    name        = "${each.key}-{{name}}"
    project     = "default"
    source      = { repo_url = "https://git.example.com/leaving", path = "." }
    destination = { name = "{{name}}", namespace = "default" }
  }
}

resource "causeway_cluster" "spoke" {
  for_each     = var.names
  cluster_name = each.key
  server       = "https://127.0.0.1:1/${each.key}"
  addons       = { enable_addon = true }
  config_wo    = jsonencode({ bearerToken = "none" })
}
`

// TestClustersGoOneAfterAnother holds what docs/how-to/terraform.md says of the guard: a
// set that loses one cluster at a time loses all of its Applications, each below the
// limit, unless its limit holds every single one. No apply waits for either.
func TestClustersGoOneAfterAnother(t *testing.T) {
	w := newWorkspace(t, threeSpokes)
	engineRuns(t, "--install-crds", "--namespace", w.namespace)
	w.must("apply")
	all := []string{"a", "b", "c"}
	has := func(set string) (out []string) {
		for _, name := range all {
			if w.exists("applications", set+"-"+name) {
				out = append(out, name)
			}
		}
		return out
	}
	w.eventually(func() bool { return len(has("free")) == 3 && len(has("strict")) == 3 })
	for i := range all {
		left, err := json.Marshal(all[i+1:])
		if err != nil {
			t.Fatal(err)
		}
		w.env = []string{"TF_VAR_names=" + string(left)}
		w.must("apply")
		w.eventually(func() bool {
			return slices.Equal(has("free"), all[i+1:]) && strings.Contains(w.held("strict"), fmt.Sprintf(" %d application", i+1))
		})
	}
	if got := has("strict"); !slices.Equal(got, all) || w.held("free") != "" {
		t.Errorf("the set that lets nothing go has Applications of %v, and the other one holds %q", got, w.held("free"))
	}
	w.quiet("what waits for an approval is no change of the configuration")
	w.approve("strict")
	w.eventually(func() bool { return len(has("strict")) == 0 })
}

// TestTakeAClusterOut holds docs/how-to/terraform.md: what a cluster's addon
// deployed goes when the addon is switched off first, and stays when the
// cluster is taken away at once.
func TestTakeAClusterOut(t *testing.T) {
	w, fill, deployed := newLeaving(t, leavingFleet)
	w.must("apply")
	w.eventually(deployed)

	w.must("apply", "-var=on=false")
	w.eventually(func() bool { return !w.exists("applications", "addon-spoke") })
	if deployed() {
		t.Error("what the addon deployed outlives it")
	}
	w.file("case.tf", fill.Replace(leavingFleet))
	if out := w.changes("the cluster is taken away"); strings.Contains(out, "lose cluster") {
		t.Errorf("the plan warns of Applications that are gone:\n%s", out)
	}

	w.file("case.tf", fill.Replace(leavingFleet+leavingSpoke))
	w.must("apply")
	w.eventually(deployed)
	w.file("case.tf", fill.Replace(leavingFleet))
	if out := w.must("apply"); !strings.Contains(oneLine(out), "Applications lose cluster spoke: 1 to go, 0 to stay") || !strings.Contains(out, "addon-spoke") {
		t.Errorf("nothing warns of the Application that goes:\n%s", out)
	}
	w.eventually(func() bool { return !w.exists("applications", "addon-spoke") })
	if !deployed() {
		t.Error("what the addon deployed went with its cluster: the warning says that it stays")
	}
}

// login writes how a cluster's Secret logs in to the control plane.
func (w *workspace) login() {
	w.t.Helper()
	tls := map[string]any{"caData": hub.CAData, "certData": hub.CertData, "keyData": hub.KeyData}
	config, err := json.Marshal(map[string]any{"bearerToken": hub.BearerToken, "tlsClientConfig": tls})
	if err != nil {
		w.t.Fatal(err)
	}
	w.file("config.json", string(config))
}

// TestDestroyWhileSyncing takes a fleet down amid two syncs that would never
// end. The one that waits for health is given up. The one whose hook runs is
// not: who waits learns what to do, a destroy that is interrupted keeps in its
// state what is there yet, and the next one ends and leaves nothing behind.
func TestDestroyWhileSyncing(t *testing.T) {
	w, target := newNeverEnding(t)
	var out bytes.Buffer
	destroy := exec.Command("terraform", "destroy", "-no-color", "-input=false", "-auto-approve")
	destroy.Dir, destroy.Stdout, destroy.Stderr = w.dir, &out, &out
	destroy.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+cliConfig, "TF_IN_AUTOMATION=1")
	if err := destroy.Start(); err != nil {
		t.Fatal(err)
	}
	w.eventually(func() bool {
		_, noApp := w.objects("applications").Get(t.Context(), "waves", metav1.GetOptions{})
		_, noObject := client(t).AppsV1().Deployments(target).Get(t.Context(), "first", metav1.GetOptions{})
		return apierrors.IsNotFound(noApp) && apierrors.IsNotFound(noObject)
	})
	open, err := object.Open(hub)
	if err != nil {
		t.Fatal(err)
	}
	set := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet"}}
	set.SetNamespace(w.namespace)
	set.SetName("hooked")
	w.eventually(func() bool {
		err := open.Remove(t.Context(), set, time.Second)
		return err != nil && strings.Contains(err.Error(), "Application "+w.namespace+"/hooked-spoke: DeletionError") && strings.Contains(err.Error(), "/before in PreSync") &&
			strings.Contains(err.Error(), "causeway terminate hooked-spoke") && strings.Contains(err.Error(), "Terraform keeps it") && !strings.Contains(err.Error(), "successfully")
	})
	if err := destroy.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := destroy.Wait(); err == nil || !strings.Contains(oneLine(out.String()), "the wait for the deletion of ApplicationSet "+w.namespace+"/hooked was interrupted") {
		t.Errorf("the destroy that was interrupted ends with %v, and says %s", err, out.String())
	}
	if state := w.must("state", "list"); !strings.Contains(state, "causeway_applicationset.hooked") || !strings.Contains(state, "causeway_cluster.spoke") {
		t.Errorf("the state lost what is still there: %s", state)
	}
	terminate := exec.CommandContext(t.Context(), program(t), "terminate", "hooked-spoke", "--kubeconfig", kubeconfig, "--namespace", w.namespace)
	if said, err := terminate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	w.must("destroy")
	if left := w.leftovers(target); len(left) > 0 {
		t.Errorf("left behind: %s", strings.Join(left, ", "))
	}
}
