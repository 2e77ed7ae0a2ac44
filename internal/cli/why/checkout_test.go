package why

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestBridgeShowsWhoReadsWhat(t *testing.T) {
	dir := clitest.NewShop(t)
	got := clitest.Look(t, NewBridge, dir, "prod", "-o", "json")
	var report bridge.ClusterReport
	if err := json.Unmarshal([]byte(got.Out), &report); err != nil {
		t.Fatalf("%v: %s%s", err, got.Out, got.Errors)
	}
	readers := map[string][]bridge.Reader{}
	types := map[string]bridge.Type{}
	for _, k := range report.Keys {
		readers[k.Name], types[k.Name] = k.Readers, k.Type
	}
	if r := readers["shop_tag"]; len(r) != 1 || r[0].Set != "shop" || r[0].Where != "chart.yaml:20" || len(r[0].Applications) != 1 || r[0].Applications[0] != "shop-prod" {
		t.Errorf("shop_tag is read by %+v", r)
	}
	if r := readers["enable_shop"]; len(r) != 1 || !r[0].Selects {
		t.Errorf("enable_shop is read by %+v, want a selector", r)
	}
	if len(readers["owner"]) != 0 {
		t.Errorf("owner is read by %+v, want nobody", readers["owner"])
	}
	if types["shop_replicas"] != bridge.TypeInteger || types["enable_shop"] != bridge.TypeBoolean || types["owner"] != bridge.TypeString {
		t.Errorf("the types are %v", types)
	}
	if len(report.Missing) != 1 || report.Missing[0].Name != "regoin" || report.Missing[0].Nearest != "region" {
		t.Errorf("missing are %+v", report.Missing)
	}
	if table := clitest.Look(t, NewBridge, dir, "prod"); !strings.Contains(table.Out, `regoin is missing: did you mean "region"?`) || strings.Contains(table.Out, "chart.yaml") {
		t.Errorf("the table names who reads a key, and -o wide where: %s%s", table.Out, table.Errors)
	}
	if wide := clitest.Look(t, NewBridge, dir, "prod", "-o", "wide"); !strings.Contains(wide.Out, "shop (chart.yaml:20): shop-prod") {
		t.Errorf("wide has all that is known: %s%s", wide.Out, wide.Errors)
	}
	all := clitest.Look(t, NewBridge, dir)
	if all.Code != 0 || !strings.Contains(all.Out, "regoin") || !strings.Contains(all.Out, "dev") {
		t.Errorf("all clusters: code %d: %s%s", all.Code, all.Out, all.Errors)
	}
}

// TestBridgeOfAnUnknownCluster names what is near, or else the list.
func TestBridgeOfAnUnknownCluster(t *testing.T) {
	dir := clitest.NewFleet(t)
	for name, want := range map[string]string{"prdo": `did you mean "prod"?`, "nowhere-near": "name one of those that `causeway bridge` lists"} {
		if got := clitest.Look(t, NewBridge, dir, name); got.Code != command.ExitFailed || !strings.Contains(got.Errors, want) {
			t.Errorf("%s: exit %d: %s", name, got.Code, got.Errors)
		}
	}
}

func TestWhyFollowsAKeyToTheFields(t *testing.T) {
	dir := clitest.NewShop(t)
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   []string
		never  []string
	}{
		"Parameter": {"a Helm parameter leads to one field", []string{"prod/shop_replicas"}, 0,
			[]string{`is "3" (integer)`, "ApplicationSet shop (chart.yaml:22)", "spec.source.helm.parameters[0].value", "Deployment/web (chart/templates/deploy.yaml:1)", "spec.replicas = 3"}, []string{"ConfigMap", "image ="}},
		"Values": {"text in helm.values is opened", []string{"prod/annotations.shop_tag"}, 0,
			[]string{"spec.source.helm.values → image.tag = 1.2.3", "spec.template.spec.containers[0].image = web:1.2.3"}, []string{"spec.replicas"}},
		"ValueFile": {"the name of a value file leads to what the file says", []string{"prod/environment"}, 0,
			[]string{"spec.source.helm.valueFiles[0] = values-prod.yaml", "data.level = error"}, []string{"spec.replicas"}},
		"Selector": {"a label that selects is why the application is there", []string{"prod/enable_shop"}, 0,
			[]string{"in a selector", "application shop-prod: is there because of it"}, nil},
		"Nobody":  {"a key that nobody reads", []string{"prod/owner"}, 0, []string{"nobody reads it"}, nil},
		"Unknown": {"the nearest key", []string{"prod/shop_tags"}, 1, []string{`did you mean "shop_tag"`}, nil},
		"Field": {"a field of an object", []string{"shop-prod", "--value", "Deployment/web:spec.replicas"}, 0,
			[]string{"spec.replicas is 3", "follows annotation shop_replicas", "through spec.source.helm.parameters[0].value"}, []string{"shop_tag"}},
		"FieldOfFile": {"a field that a value file sets", []string{"shop-prod", "--value", "ConfigMap/settings:data.level"}, 0,
			[]string{"follows label environment", "through spec.source.helm.valueFiles[0]"}, []string{"shop_replicas"}},
		"HelmValue": {"a Helm value with its layers", []string{"shop-prod", "--value", "image.tag"}, 0,
			[]string{"values of the Application", "(none)", "follows annotation shop_tag", "values → image.tag"}, []string{"shop_replicas", "environment"}},
		"Server":   {"a cluster can be called by its server", []string{"https://prod.example.com/shop_replicas"}, 0, []string{`of cluster prod is "3"`}, nil},
		"NoServer": {"and one that is not there is told of", []string{"https://127.0.0.1:2/environment"}, 2, []string{"no cluster has that name, Secret or server"}, nil},
		"NoKey":    {"a key has a name", []string{"prod/"}, 2, []string{"names no key", "causeway bridge prod"}, nil},
		"NoValue":  {"an empty value is none", []string{"shop-prod", "--value", ""}, 2, []string{"--value is empty"}, nil},
		"KeyValue": {"a key has no value of an application", []string{"prod/environment", "--value", "a"}, 2, []string{"asks about an application"}, nil},
		"NoPath":   {"a field has a name", []string{"shop-prod", "--value", "ConfigMap/settings:"}, 2, []string{"names no field"}, nil},
		"NoField":  {"a field that is not there", []string{"shop-prod", "--value", "Deployment/web:spec.replica"}, 1, []string{`did you mean`}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Look(t, New, dir, tc.args...)
			if got.Code != tc.code {
				t.Errorf("%s: code %d: %s%s", tc.reason, got.Code, got.Out, got.Errors)
			}
			for _, part := range tc.want {
				if !strings.Contains(got.Out+got.Errors, part) {
					t.Errorf("%s: no %q in\n%s%s", tc.reason, part, got.Out, got.Errors)
				}
			}
			for _, part := range tc.never {
				if strings.Contains(got.Out, part) {
					t.Errorf("%s: %q in\n%s", tc.reason, part, got.Out)
				}
			}
		})
	}
}
