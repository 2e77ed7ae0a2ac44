package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bridge"
)

// bridgeRepository is offlineRepository with a chart whose values come from
// the clusters.
func bridgeRepository(t *testing.T) string {
	t.Helper()
	dir := offlineRepository(t)
	for name, text := range map[string]string{
		"chart.yaml": `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shop, namespace: argocd}
spec:
  generators:
  - clusters: {selector: {matchLabels: {enable_shop: "true"}}}
  template:
    metadata: {name: 'shop-{{name}}'}
    spec:
      project: default
      source:
        repoURL: ` + offlineURL + `
        path: chart
        targetRevision: HEAD
        helm:
          ignoreMissingValueFiles: true
          valueFiles: ['values-{{metadata.labels.environment}}.yaml']
          values: |
            image:
              tag: {{metadata.annotations.shop_tag}}
            region: '{{metadata.annotations.regoin}}'
          parameters: [{name: replicas, value: '{{metadata.annotations.shop_replicas}}'}]
      destination: {name: '{{name}}', namespace: shop}
`,
		"chart/Chart.yaml":              "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
		"chart/values.yaml":             "replicas: 1\nimage: {tag: none}\nregion: none\nlevel: info\n",
		"chart/values-prod.yaml":        "level: error\n",
		"chart/templates/deploy.yaml":   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: {{ .Values.replicas }}\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: 'web:{{ .Values.image.tag }}'}]}\n",
		"chart/templates/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: {{ .Values.level }}, region: '{{ .Values.region }}'}\n",
		"clusters/prod.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: prod\n  labels: {argocd.argoproj.io/secret-type: cluster, enable_shop: 'true', environment: prod}\n" +
			"  annotations: {region: eu, shop_tag: 1.2.3, shop_replicas: '3', owner: team-a}\nstringData: {name: prod, server: 'https://prod.example.com'}\n",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBridgeShowsWhoReadsWhat(t *testing.T) {
	dir := bridgeRepository(t)
	got := runOffline(t, dir, "bridge", "prod", "-o", "json")
	var report bridge.ClusterReport
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatalf("%v: %s%s", err, got.out, got.errors)
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
	if table := runOffline(t, dir, "bridge", "prod"); !strings.Contains(table.out, `regoin is missing: did you mean "region"?`) || strings.Contains(table.out, "chart.yaml") {
		t.Errorf("the table names who reads a key, and -o wide where: %s%s", table.out, table.errors)
	}
	if wide := runOffline(t, dir, "bridge", "prod", "-o", "wide"); !strings.Contains(wide.out, "shop (chart.yaml:20): shop-prod") {
		t.Errorf("wide has all that is known: %s%s", wide.out, wide.errors)
	}
	all := runOffline(t, dir, "bridge")
	if all.code != 0 || !strings.Contains(all.out, "regoin") || !strings.Contains(all.out, "dev") {
		t.Errorf("all clusters: code %d: %s%s", all.code, all.out, all.errors)
	}
}

func TestWhyFollowsAKeyToTheFields(t *testing.T) {
	dir := bridgeRepository(t)
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
			got := runOffline(t, dir, "why", tc.args...)
			if got.code != tc.code {
				t.Errorf("%s: code %d: %s%s", tc.reason, got.code, got.out, got.errors)
			}
			for _, part := range tc.want {
				if !strings.Contains(got.out+got.errors, part) {
					t.Errorf("%s: no %q in\n%s%s", tc.reason, part, got.out, got.errors)
				}
			}
			for _, part := range tc.never {
				if strings.Contains(got.out, part) {
					t.Errorf("%s: %q in\n%s", tc.reason, part, got.out)
				}
			}
		})
	}
}

func TestLintChecksMetadataSchemas(t *testing.T) {
	dir := bridgeRepository(t)
	const loose, strict = "  - {key: shop_replicas, type: integer}\n", "  - {key: shop_replicas, type: integer, enum: ['1', '2']}\n  - {key: region, pattern: '[a-z]+-[0-9]'}\n"
	write := func(enforcement, rules string) {
		text := "apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: fleet, namespace: argocd}\nspec:\n  enforcement: " + enforcement +
			"\n  keys:\n  - {key: environment, in: label, required: true}\n" + rules
		if err := os.WriteFile(filepath.Join(dir, "schema.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("Deny", strict)
	got := runOffline(t, dir, "lint", "--root", "shop", "-o", "wide")
	if got.code != 1 || !strings.Contains(got.out, "clusters/dev.yaml:1") ||
		!strings.Contains(got.out, "label environment is required (MetadataSchema fleet, schema.yaml:1) (on dev)") {
		t.Errorf("code %d: %s%s", got.code, got.out, got.errors)
	}
	for _, want := range []string{"annotation shop_replicas must be one of 1, 2", "annotation region must match [a-z]+-[0-9]"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("lint does not tell %q:\n%s", want, got.out)
		}
	}
	write("Warn", loose)
	if got := runOffline(t, dir, "lint", "--root", "shop", "-o", "json"); got.code != 0 || !strings.Contains(got.out, "BrokenMetadataRule") {
		t.Errorf("a warning: code %d: %s%s", got.code, got.out, got.errors)
	}
	got = runOffline(t, dir, "bridge", "prod")
	if got.code != 0 || !strings.Contains(got.out, "integer ") {
		t.Errorf("the type is guessed although the schema says it: %s", got.out)
	}

	// A file besides the repository; a change that breaks its rule shows in a preview.
	schema := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.Rename(filepath.Join(dir, "schema.yaml"), schema); err != nil {
		t.Fatal(err)
	}
	got = runOffline(t, dir, "preview", "--base", "HEAD", "--metadata-schema", schema, "-o", "json")
	if !strings.Contains(got.out, "label environment is required") {
		t.Errorf("the preview does not tell: code %d: %s%s", got.code, got.out, got.errors)
	}
	if err := os.WriteFile(schema, []byte("apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: fleet}\nspec: {keys: [{key: a, pattern: '('}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runOffline(t, dir, "lint", "--metadata-schema", schema); got.code == 0 || !strings.Contains(got.errors, "pattern") {
		t.Errorf("a schema that makes no sense: code %d: %s%s", got.code, got.out, got.errors)
	}
}
