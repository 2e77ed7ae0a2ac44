package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestModuleKnowsTheChartsValues: what the module takes for Argo CD's is without
// effect, so it has to know all that is the engine's.
func TestModuleKnowsTheChartsValues(t *testing.T) {
	text, err := os.ReadFile("../../../../deploy/charts/causeway/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Properties map[string]schema
	}
	var chart schema
	if err := json.Unmarshal(text, &chart); err != nil {
		t.Fatal(err)
	}
	main, err := os.ReadFile(filepath.Join(module(t), "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	listed := func(name string) []string {
		_, after, _ := strings.Cut(string(main), "  "+name+" = [")
		list, _, _ := strings.Cut(after, "]")
		var out []string
		for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(list, -1) {
			out = append(out, m[1])
		}
		return out
	}
	own := slices.Sorted(maps.Keys(chart.Properties))
	own = slices.DeleteFunc(own, func(key string) bool { return key == "global" || key == "server" }) // Helm's, and Argo CD's chart has one as well
	if diff := cmp.Diff(own, listed("chart_values")); diff != "" {
		t.Errorf("values (-chart +module):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(chart.Properties["server"].Properties)), listed("server_values")); diff != "" {
		t.Errorf("values below server (-chart +module):\n%s", diff)
	}
}

// TestModuleLetsTheChartsValuesThrough turns on what a bridge needs, among values
// of Argo CD's chart.
func TestModuleLetsTheChartsValuesThrough(t *testing.T) {
	w := newWorkspace(t, fmt.Sprintf(`
module "bridge" {
  source = %q
  argocd = {
    namespace = "NAMESPACE"
    values    = [yamlencode({ bridge = { clusterMetadata = { enabled = true } }, server = { enabled = true, replicas = 3 } })]
    set       = [{ name = "declaredClusters.enabled", value = true }, { name = "server.port", value = 8444 }, { name = "server.ingress.enabled", value = true }]
  }
}
output "engine" { value = module.bridge.argocd.values }
`, module(t)))
	w.file("case.tf", strings.ReplaceAll(w.read("case.tf"), "NAMESPACE", w.namespace))
	w.must("init")
	out := w.changes("the engine is installed")
	if want := "Without effect here, as they are for Argo CD's chart: values: server.replicas, set: server.ingress.enabled."; !strings.Contains(oneLine(out), want) {
		t.Errorf("the plan has no %q:\n%s", want, out)
	}
	for _, want := range []string{"clustermetadata", "8444", "clusters/status"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing of %q is in the engine's objects:\n%s", want, out)
		}
	}
}

// TestModuleHandsTheChartNothingSensitive: what the chart is given is in the plan
// and in the state.
func TestModuleHandsTheChartNothingSensitive(t *testing.T) {
	w := newWorkspace(t, fmt.Sprintf(`
variable "key" { default = "extraEnv[0].value" }
module "bridge" {
  source = %q
  argocd = { namespace = "NAMESPACE", wait = false, set_sensitive = [{ name = var.key, value = %q }] }
}
`, module(t), password))
	w.file("case.tf", strings.ReplaceAll(w.read("case.tf"), "NAMESPACE", w.namespace))
	w.must("init")
	said := w.fails("it is a value of the engine's chart", "plan")
	if want := "set_sensitive: extraEnv[0].value would be in the plan, in the state"; !strings.Contains(said, want) {
		t.Errorf("the plan has no %q: %s", want, said)
	}
	noSecret(t, "the refused plan", said, password)
	out, code := w.terraform("plan", "-var=key=configs.secret.extra.token")
	if want := "set_sensitive: configs.secret.extra.token"; code != 2 || !strings.Contains(oneLine(out), want) {
		t.Errorf("that it is without effect is not said: exit code %d, %s", code, out)
	}
	noSecret(t, "the plan", out, password)
}
