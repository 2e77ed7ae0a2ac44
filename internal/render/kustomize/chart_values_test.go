package kustomize

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestFilesWithoutValues: charts come with a file of comments, and merging it with the
// values in place leaves those.
func TestFilesWithoutValues(t *testing.T) {
	for name, tc := range map[string]struct{ reason, file string }{
		"Comments": {"comments are no document", "# mode: fast\n"},
		"Null":     {"a null is not there to take out what is written in place", "---\n# mode: fast\n"},
		"Written":  {"nor is one that is written", "null\n"},
		"Mapping":  {"an empty mapping has nothing to say", "{}\n"},
		"Blank":    {"nor have blanks", " \n\n"},
	} {
		for _, how := range []string{"", "override", "merge", "replace"} {
			t.Run(name+how, func(t *testing.T) {
				c := types.HelmChart{Name: "web", ValuesMerge: how, ValuesInline: map[string]any{"mode": "slow"}}
				got, err := rewritingOf(t, setup{}).mergedValues(c, []byte(tc.file))
				if err != nil || string(got) != "mode: slow\n" {
					t.Errorf("%s: %q, %v", tc.reason, got, err)
				}
			})
		}
	}
}

// TestValuesThatCannotBeMerged are told with the chart and what to do; a list and a
// mapping are two things, whichever is stronger.
func TestValuesThatCannotBeMerged(t *testing.T) {
	for name, tc := range map[string]struct{ reason, file string }{
		"List":   {"a list of values", "- mode\n"},
		"Text":   {"a text", "mode\n"},
		"Broken": {"no YAML", "mode: [\n"},
	} {
		for _, how := range []string{"override", "merge"} {
			t.Run(name+how, func(t *testing.T) {
				c := types.HelmChart{Name: "web", ValuesMerge: how, ValuesInline: map[string]any{"mode": "slow"}}
				got, err := rewritingOf(t, setup{}).mergedValues(c, []byte(tc.file))
				if p, ok := asProblem(err); !ok || got != nil || !strings.Contains(p.What, "cannot merge the values of chart web") || !strings.Contains(p.Fix, "correct valuesInline or the value file") {
					t.Errorf("%s: %q, %v", tc.reason, got, err)
				}
			})
		}
	}
}

// TestOwnValuesOfCharts are read where the chart is: in its repository, or in the
// kustomization's.
func TestOwnValuesOfCharts(t *testing.T) {
	const far = "https://charts.example"
	for name, tc := range map[string]struct {
		reason, chart string
		files         treetest.Files
		remotes       elsewhereTrees
		want, fails   string
	}{
		"Far":      {"a chart of a repository", "repo: " + far + ", version: 1.0.0, valuesInline: {a: 2}", nil, elsewhereTrees{far + " 1.0.0": {"values.yaml": "a: 1\nb: 1\n"}}, "a: 2\nb: 1\n", ""},
		"FarNone":  {"one without values", "repo: " + far + ", version: 1.0.0, valuesInline: {a: 2}", nil, elsewhereTrees{far + " 1.0.0": {"Chart.yaml": ""}}, "a: 2\n", ""},
		"Unread":   {"what is not merged is not fetched for it", "repo: " + far + ", version: 1.0.0", nil, elsewhereTrees{}, "", ""},
		"Replaced": {"nor what the values in place replace", "repo: " + far + ", version: 1.0.0, valuesInline: {a: 2}, valuesMerge: replace", nil, elsewhereTrees{}, "a: 2\n", ""},
		"FarGone":  {"a version that nobody has is told at the chart", "repo: " + far + ", version: 9.0.0, valuesInline: {a: 2}", nil, elsewhereTrees{}, "", "cannot find repository https://charts.example at \"9.0.0\" (https://git.example/home at home app/kustomization.yaml:"},
		"Nowhere":  {"rendering the chart tells that nothing is read from elsewhere", "repo: " + far + ", version: 1.0.0, valuesInline: {a: 2}", nil, nil, "a: 2\n", ""},
		"NearNone": {"a chart of the repository without values", "valuesInline: {a: 2}", treetest.Files{"app/charts/web/Chart.yaml": ""}, nil, "a: 2\n", ""},
		"Folder":   {"what is no file is told with its place", "valuesInline: {a: 2}", treetest.Files{"app/charts/web/values.yaml/x": ""}, nil, "", "(https://git.example/home at home app/charts/web/values.yaml)"},
		"Much":     {"so are more values than are read", "valuesInline: {a: 2}", treetest.Files{"app/charts/web/values.yaml": strings.Repeat("- {}\n", bounded.MostValues)}, nil, "", "(https://git.example/home at home app/charts/web/values.yaml)"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asked{}
			s := setup{files: treetest.Files{"app/kustomization.yaml": "helmCharts:\n- {name: web, " + tc.chart + "}\n"}, remotes: tc.remotes, flags: "--enable-helm", charts: a}
			for name, text := range tc.files {
				s.files[name] = text
			}
			_, _, err := s.render(t)
			if tc.fails != "" {
				if p := (*gitops.Problem)(nil); !errors.As(err, &p) || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if err != nil || len(a.list) != 1 {
				t.Fatalf("%s: %d charts, %v", tc.reason, len(a.list), err)
			}
			if got := string(bytes.Join(a.list[0].Values, nil)); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
