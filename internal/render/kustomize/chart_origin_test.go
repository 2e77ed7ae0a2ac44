package kustomize

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestOriginsOfCharts: objects of a chart are marked with the kustomization that lists
// it, as seen from the one that is built.
func TestOriginsOfCharts(t *testing.T) {
	const asks, chart = "buildMetadata: [originAnnotations]\n", "helmCharts: [{name: web, repo: 'https://charts.example', version: 1.0.0}]\n"
	const by = "configuredBy:\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n"
	for name, tc := range map[string]struct {
		reason  string
		files   treetest.Files
		remotes elsewhereTrees
		want    string
	}{
		"Own":  {"in its own folder", treetest.Files{"app/kustomization.yaml": asks + chart}, nil, "configuredIn: kustomization.yaml\n" + by},
		"Base": {"in a base", treetest.Files{"app/kustomization.yaml": asks + "resources: [../base]\n", "base/kustomization.yaml": chart}, nil, "configuredIn: ../base/kustomization.yaml\n" + by},
		"Far": {
			"in a base from elsewhere", treetest.Files{"app/kustomization.yaml": asks + "resources: ['https://git.example/o/r//x?ref=v1']\n"},
			elsewhereTrees{"https://git.example/o/r v1": {"x/kustomization.yaml": chart}}, "repo: https://git.example/o/r\nref: v1\nconfiguredIn: x/kustomization.yaml\n" + by,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := setup{files: tc.files, remotes: tc.remotes, flags: "--enable-helm", charts: &asked{}}.render(t)
			if err != nil || len(got) != 2 {
				t.Fatalf("%s: %d objects, %v", tc.reason, len(got), err)
			}
			if diff := cmp.Diff(tc.want, got[0].Object.GetAnnotations()[originAnnotation]); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
