package declared

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func TestRead(t *testing.T) {
	tree := treetest.Snapshot("r", "1", treetest.Files{
		"apps/a.yaml": "# c\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  project: x\n" +
			"  sync: {}\n  source: {repoURL: r, path: p}\n  source: {repoURL: r, path: q}\n",
		"sets/s.yml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: other}\n---\napiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n" +
			"metadata: {name: s}\nspec:\n  generators: [{list: {elements: []}}]\n  template: {metadata: {name: x}, spec: {project: p}}\n",
		"patch.yaml":             "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {project: team}\n",
		"broken.yaml":            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: [\n",
		"template.yaml":          "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: '{{x}}'}\nspec: {source: {repoURL: r}}\n",
		"wrong.yaml":             "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: w}\nspec: {source: [r]}\n",
		"chart/Chart.yaml":       "name: c\nversion: 1.0.0\n",
		"chart/templates/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: t}\nspec: {source: {repoURL: r}}\n",
		"c.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: c\n  labels: {argocd.argoproj.io/secret-type: cluster}\n" +
			"---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: r\n  labels: {argocd.argoproj.io/secret-type: repository}\n",
		"list.json": `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"argoproj.io/v1alpha1","kind":"AppProject","metadata":{"name":"p"}}]}`,
		"cm.yaml":   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {a: b}\n",
	})
	found, err := NewReader().Read(context.Background(), tree.Tree, ".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range found.Applications {
		got = append(got, fmt.Sprintf("Application %s %s:%d path %s", a.Name, a.File, a.Line, a.Spec.Source.Path))
	}
	for _, s := range found.Sets {
		got = append(got, fmt.Sprintf("Set %s %s:%d", s.Name, s.File, s.Line))
	}
	got = append(got, fmt.Sprint(len(found.Projects), len(found.Clusters), len(found.Settings)))
	for _, w := range found.Warnings {
		got = append(got, fmt.Sprintf("%s %s", w.Reason, w.Origin))
	}
	want := []string{
		"Application a apps/a.yaml:2 path q", "Set s sets/s.yml:5", "1 1 1",
		"DuplicateKey apps/a.yaml:9", "UnknownField apps/a.yaml:7", "BrokenYAML broken.yaml:3", "Template template.yaml:1", "WrongType wrong.yaml:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsThatCannotBeRead(t *testing.T) {
	const head = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: c\n  labels: {argocd.argoproj.io/secret-type: cluster}\n"
	cases := map[string]struct {
		reason, text string
		secrets      int
		fails        bool
	}{
		"Fine":   {"one Secret", head + "stringData: {name: c}\n", 1, false},
		"Broken": {"a cluster must not look as if it were gone", head + "stringData: {name: [\n", 0, true},
		"Wrong":  {"nor one of the wrong form", head + "stringData: [name]\n", 0, true},
		"Other":  {"files of something else do not matter", "a: [\n", 0, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Secrets("clusters/c.yaml", []byte(tc.text))
			if len(got) != tc.secrets || (err != nil) != tc.fails {
				t.Errorf("%s: %d Secrets, %v", tc.reason, len(got), err)
			}
		})
	}
}
