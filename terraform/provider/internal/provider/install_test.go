package provider_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const engine = `
resource "causeway_install" "engine" {
  values = [yamlencode({ replicas = 2, resources = { requests = { cpu = "0.1" } } })]
  set    = { "engine.workers" = 4 }
}
resource "causeway_manifest" "settings" {
  manifest   = yamlencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "argocd-cm" }, data = {} })
  depends_on = [causeway_install.engine]
}
`

func TestInstall(t *testing.T) {
	w := newWorkspace(t, engine)
	// A namespace that is not there yet, as on a new cluster.
	w.namespace += "-new"
	w.file("main.tf", strings.Replace(w.read("main.tf"), strings.TrimSuffix(w.namespace, "-new")+`"`, w.namespace+`"`, 1))
	w.must("apply")
	deployments := client(t).AppsV1().Deployments(w.namespace)
	d, err := deployments.Get(t.Context(), "causeway", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Status.AvailableReplicas != 2 {
		t.Errorf("apply returned before the engine was available: %d of 2", d.Status.AvailableReplicas)
	}
	if args := strings.Join(d.Spec.Template.Spec.Containers[0].Args, " "); !strings.Contains(args, "--workers=4") {
		t.Errorf("a value did not arrive: %s", args)
	}
	w.quiet("an amount that the cluster writes in another form is no drift")

	patch := `{"spec":{"replicas":1}}`
	if _, err := deployments.Patch(t.Context(), "causeway", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if out := w.changes("it was scaled by hand"); !strings.Contains(out, "replicas") {
		t.Errorf("the plan does not show it:\n%s", out)
	}
	w.file("case.tf", strings.Replace(engine, "replicas = 2", "replicas = 1, podDisruptionBudget = { enabled = true }", 1))
	w.must("apply")
	budgets := client(t).PolicyV1().PodDisruptionBudgets(w.namespace)
	if _, err := budgets.Get(t.Context(), "causeway", metav1.GetOptions{}); err != nil {
		t.Errorf("the chart's new object is not there: %v", err)
	}
	w.file("case.tf", strings.Replace(engine, "replicas = 2", "replicas = 1", 1))
	w.must("apply")
	if _, err := budgets.Get(t.Context(), "causeway", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an object that the chart has no more stays: %v", err)
	}
	w.must("state", "rm", "causeway_install.engine")
	w.must("import", "causeway_install.engine", w.namespace+"/causeway")
	w.must("apply")
	w.quiet("after the import")
	w.must("destroy")
	if _, err := deployments.Get(t.Context(), "causeway", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the engine stays: %v", err)
	}
	if _, err := w.objects("applications").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the definitions went: %v", err)
	}
}

// TestInstallLeavesTheEngineOfOthers: an engine that Helm or a command installed
// would be deleted with the resource.
func TestInstallLeavesTheEngineOfOthers(t *testing.T) {
	w := newWorkspace(t, `
resource "causeway_install" "engine" {
  wait = false
}
`)
	accounts := client(t).CoreV1().ServiceAccounts(w.namespace)
	theirs := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "causeway", Labels: map[string]string{"app.kubernetes.io/managed-by": "Helm"}}}
	if _, err := accounts.Create(t.Context(), theirs, metav1.CreateOptions{FieldManager: "helm"}); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"plan", "apply"} {
		out := w.fails("Helm installed it", command)
		if !strings.Contains(out, "ServiceAccount "+w.namespace+"/causeway is there already, written by helm") || !strings.Contains(out, "terraform import ADDRESS "+w.namespace+"/causeway") {
			t.Errorf("got %s", out)
		}
	}
	if _, err := client(t).AppsV1().Deployments(w.namespace).Get(t.Context(), "causeway", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an engine is installed beside it: %v", err)
	}
	w.must("import", "causeway_install.engine", w.namespace+"/causeway")
	w.must("apply")
	w.must("destroy")
	if _, err := accounts.Get(t.Context(), "causeway", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("what was imported is not the resource's: %v", err)
	}
}

// TestInstallAfterAHandBack: who handed back to Argo CD by the command has an
// engine with no replica, which the next apply must not start beside it.
func TestInstallAfterAHandBack(t *testing.T) {
	w := newWorkspace(t, "")
	f := newArgoFleet(t, w.namespace)
	w.file("main.tf", strings.Replace(w.read("main.tf"), "config_path", fmt.Sprintf("causeway_path = %q\n  config_path", program(t)), 1))
	w.file("case.tf", fmt.Sprintf(`
resource "causeway_install" "engine" {
  values   = [yamlencode({ replicas = 2 })]
  takeover = { mirrors = { %q = %q } }
}
`, argoRepo, f.folder))
	byHand := func(args ...string) {
		t.Helper()
		all := append([]string{"import", "argocd", "--kubeconfig", kubeconfig, "--namespace", w.namespace}, args...)
		if said, err := exec.CommandContext(t.Context(), program(t), all...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	f.host()
	w.must("apply")
	f.at(0, "taken over")
	byHand("--revert")
	f.at(1, "handed back")
	for _, command := range []string{"plan", "apply"} {
		out := w.fails("the engine would run beside Argo CD", command)
		for _, part := range []string{"Argo CD runs beside this engine", "causeway import argocd --apply --namespace " + w.namespace, "take this resource out of the configuration"} {
			if !strings.Contains(out, part) {
				t.Errorf("the %s does not say %q: %s", command, part, out)
			}
		}
		f.at(1, "refused")
		if d, err := client(t).AppsV1().Deployments(w.namespace).Get(t.Context(), "causeway", metav1.GetOptions{}); err != nil || *d.Spec.Replicas != 0 {
			t.Errorf("%s: the engine runs beside Argo CD: %v", command, err)
		}
	}
	byHand("--apply", "--mirror", argoRepo+"="+f.folder)
	w.must("apply")
	f.at(0, "taken over again")
	f.engineAt(2)
	w.quiet("the takeover is complete")
	byHand("--revert")
	w.must("destroy", "-refresh=false") // else Terraform plans the configuration first
	f.at(1, "destroyed")
	f.noEngine("destroyed")
}

func TestInstallWrongInput(t *testing.T) {
	w := newWorkspace(t, engine)
	for name, tc := range map[string]struct{ from, to, want string }{
		"Value":   {"replicas = 2", "replica = 2", "replica"},
		"Amount":  {"replicas = 2", `replicas = "many"`, "do not fit the chart"},
		"Path":    {`"engine.workers"`, `"engine[x"`, "cannot be read"},
		"Text":    {`[yamlencode({ replicas = 2, resources = { requests = { cpu = "0.1" } } })]`, `["- a"]`, "no YAML of an object"},
		"Timeout": {`set    =`, "timeout = \"soon\"\n  set =", "write a duration"},
	} {
		t.Run(name, func(t *testing.T) {
			v := *w
			v.t = t
			v.file("case.tf", strings.Replace(engine, tc.from, tc.to, 1))
			if out := v.fails("it cannot work", "plan"); !strings.Contains(out, tc.want) {
				t.Errorf("the message has no %q: %s", tc.want, out)
			}
		})
	}
	v := *w
	v.file("case.tf", `
resource "causeway_install" "engine" {
  timeout = "2s"
  values  = [yamlencode({ nodeSelector = { no = "such-node" } })]
}
`)
	if out := v.fails("no node takes its pods", "apply"); !strings.Contains(out, "is not available after 2s") {
		t.Errorf("got %s", out)
	}
	v.must("destroy")
}
