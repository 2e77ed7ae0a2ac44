package kustomize

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// generator is the configuration of one that makes a ConfigMap of a file.
func generator(name, file string) string {
	return "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: " + name + "}\noptions: {disableNameSuffixHash: true}\nfiles: ['" + file + "']\n"
}

// chartConfig is that of one that renders a chart.
func chartConfig(release string) string {
	return "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: " + release + "}\nname: web\nreleaseName: " + release + "\n"
}

// indented is a configuration as an item of a list.
func indented(text string) string {
	return "- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// TestConfigurationsOfPlugins: what they name is read as what the kustomization names,
// in whatever form they are listed.
func TestConfigurationsOfPlugins(t *testing.T) {
	const far, list = "https://web.example/far.txt", "apiVersion: v1\nkind: List\nitems:\n"
	for name, tc := range map[string]struct {
		reason, field, text string
		objects, charts     string
		fails               string
	}{
		"Kept":      {"what needs no change", "generators: [g.yaml]\n", generator("a", "near.txt"), "a", "", ""},
		"Far":       {"a file from elsewhere, with the name of it as its key", "generators: [g.yaml]\n", generator("a", far), "a=far.txt", "", ""},
		"Keyed":     {"or with another key", "generators: [g.yaml]\n", generator("a", "k="+far), "a=k", "", ""},
		"Documents": {"several in one file", "generators: [g.yaml]\n", generator("a", "near.txt") + "---\n" + generator("b", far), "a b=far.txt", "", ""},
		"List":      {"those of a list, too", "generators: [g.yaml]\n", list + indented(generator("a", far)) + indented(generator("b", "near.txt")), "a=far.txt b", "", ""},
		"Chart":     {"a chart is rendered as one of the kustomization", "generators: [g.yaml]\n", chartConfig("r"), "r", "r", ""},
		"Between":   {"also among others, which stay", "generators: [g.yaml]\n", generator("a", "near.txt") + "---\n" + chartConfig("r"), "a r", "r", ""},
		"InList":    {"also in a list", "generators: [g.yaml]\n", list + indented(chartConfig("r")) + indented(generator("a", "near.txt")), "a r", "r", ""},
		"ListOfOne": {"of which nothing may be left", "generators: [g.yaml]\n", list + indented(chartConfig("r")), "r", "r", ""},
		"Order":     {"charts come after those that the kustomization lists itself", "helmCharts: [{name: web, releaseName: first}]\ngenerators: [g.yaml]\n", chartConfig("r"), "first r", "first r", ""},
		"Text":      {"what is no mapping configures nothing", "generators: [g.yaml]\n", "- a\n", "", "", "cannot be read as a mapping"},
		"NoChart":   {"a chart's field of another type", "generators: [g.yaml]\n", chartConfig("r") + "includeCRDs: many\n", "", "", "cannot read the configuration of chart web"},
		"Gone":      {"a file that is not there", "generators: [g.yaml]\n", generator("a", "gone.txt"), "", "", "gone.txt"},
		"KeyAlone":  {"a key without a file", "generators: [g.yaml]\n", generator("a", "k="), "", "", "k= is no file, and no key with a file"},
		"Above":     {"a file that the kustomization may not read", "generators: [g.yaml]\n", generator("a", "../other.txt"), "", "", "../other.txt is outside the folder of the kustomization"},
		"Transform": {"charts come of generators alone", "transformers: [g.yaml]\n", chartConfig("r"), "", "", "cannot build the kustomization"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asked{}
			got, _, err := setup{
				files: treetest.Files{"app/kustomization.yaml": tc.field, "app/g.yaml": tc.text, "app/near.txt": "near", "other.txt": "other", "app/charts/web/Chart.yaml": ""},
				web:   webFiles{far: "far"}, flags: "--enable-helm", charts: a,
			}.render(t)
			if tc.fails != "" {
				if p := (*gitops.Problem)(nil); !errors.As(err, &p) || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			var charts []string
			for _, in := range a.list {
				charts = append(charts, in.ReleaseName)
			}
			if diff := cmp.Diff(tc.objects, withKeys(got)); err != nil || diff != "" || strings.Join(charts, " ") != tc.charts {
				t.Errorf("%s: charts %v, %v, -want +got:\n%s", tc.reason, charts, err, diff)
			}
		})
	}
}

// withKeys are the names of ConfigMaps in their order, with the keys of those that are
// not of the file near.txt.
func withKeys(all []gitops.Manifest) string {
	var out []string
	for _, m := range all {
		if m.Object.GetKind() != "ConfigMap" {
			continue
		}
		names := []string{m.Object.GetName()}
		data, _ := m.Object.Object["data"].(map[string]any)
		for key := range data {
			if key != "near.txt" {
				names = append(names, key)
			}
		}
		out = append(out, strings.Join(names, "="))
	}
	return strings.Join(out, " ")
}

// TestFieldsOfPlugins that name files do so in any case, in replacements as well; what
// is no text is the library's to refuse.
func TestFieldsOfPlugins(t *testing.T) {
	for name, tc := range map[string]struct {
		reason       string
		config, want map[string]any
		fails        string
	}{
		"Case":        {"fields are known in any case", map[string]any{"PATH": "size\u00e9.yaml"}, map[string]any{"PATH": here + "size\u00e9.yaml"}, ""},
		"Several":     {"each of a list", map[string]any{"paths": []any{"a.yaml", "size\u00e9.yaml"}}, map[string]any{"paths": []any{"a.yaml", here + "size\u00e9.yaml"}}, ""},
		"InPlace":     {"patches in place are none", map[string]any{"paths": []any{"kind: A\nmetadata: {name: a}\n"}}, map[string]any{"paths": []any{"kind: A\nmetadata: {name: a}\n"}}, ""},
		"Number":      {"nor are numbers", map[string]any{"path": 1, "envs": []any{2, nil}}, map[string]any{"path": 1, "envs": []any{2, nil}}, ""},
		"Empty":       {"nor is an empty text", map[string]any{"env": ""}, map[string]any{"env": ""}, ""},
		"Replacement": {"a replacement may stand in a file", map[string]any{"replacements": []any{map[string]any{"path": "size\u00e9.yaml"}, "odd"}}, map[string]any{"replacements": []any{map[string]any{"path": here + "size\u00e9.yaml"}, "odd"}}, ""},
		"Other":       {"other fields name nothing", map[string]any{"literals": []any{"gone.yaml"}, "name": "gone.yaml"}, map[string]any{"literals": []any{"gone.yaml"}, "name": "gone.yaml"}, ""},
		"Gone":        {"what is not there is told", map[string]any{"replacements": []any{map[string]any{"path": "gone.yaml"}, map[string]any{"path": "a.yaml"}}}, nil, "gone.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			s := setup{files: treetest.Files{"app/a.yaml": "", "app/size\u00e9.yaml": ""}}
			d := newDisk(t.Context(), s.source(t), flags{}, "app/kustomization.yaml", nil)
			r := &rewriting{disk: d, full: "/tree-0/app/kustomization.yaml", dir: "/tree-0/app", name: "app/kustomization.yaml", mount: d.mounts[0], frame: &frame{}}
			err := r.fields(tc.config)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, tc.config); err != nil || diff != "" {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}
