package declared

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// brief is what was found, one line for each object and each warning.
func brief(f *Found) []string {
	var out []string
	for _, a := range f.Applications {
		out = append(out, fmt.Sprintf("Application %s at %s:%d", a.Name, a.File, a.Line))
	}
	for _, s := range f.Sets {
		out = append(out, fmt.Sprintf("ApplicationSet %s at %s:%d", s.Name, s.File, s.Line))
	}
	for _, p := range f.Projects {
		out = append(out, "AppProject "+p.Name)
	}
	for _, c := range f.Clusters {
		out = append(out, fmt.Sprintf("cluster %s at %s:%d", c.Name, c.File, c.Line))
	}
	for _, s := range f.Settings {
		out = append(out, "settings of "+s.Namespace)
	}
	for _, p := range f.Params {
		out = append(out, "params of "+p.Namespace)
	}
	for _, s := range f.Schemas {
		out = append(out, fmt.Sprintf("schema %s at %s:%d", s.Name, s.File, s.Line))
	}
	for _, w := range f.Warnings {
		out = append(out, fmt.Sprintf("%s at %s: %s", w.Reason, w.Origin, w.Message))
	}
	return out
}

const (
	app = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: {repoURL: r}}\n"
	set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec: {generators: [{list: {}}]}\n"
)

func TestWhatATextDeclares(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         []string
	}{
		"Several":     {"documents are counted by their lines", "# a comment\n" + app + "---\n\n" + set, []string{"Application a at f:2", "ApplicationSet s at f:8"}},
		"Sources":     {"one with several sources is whole, too", strings.Replace(app, "source: {repoURL: r}", "sources: [{repoURL: r}]", 1), []string{"Application a at f:1"}},
		"Patch":       {"a part of an object is a patch", strings.Replace(app, "source: {repoURL: r}", "project: x", 1), nil},
		"SetPatch":    {"of a set, too", strings.Replace(set, "generators: [{list: {}}]", "goTemplate: true", 1), nil},
		"Project":     {"a project has no parts that it needs", "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: p}\n", []string{"AppProject p"}},
		"OtherKind":   {"other objects of that group", "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r}\nspec: {x: y}\n", nil},
		"OtherGroup":  {"Applications of others", strings.Replace(app, "argoproj.io", "app.k8s.io", 1), nil},
		"Nested":      {"one within another object is data", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a.yaml: |\n    " + strings.ReplaceAll(app, "\n", "\n    "), nil},
		"List":        {"Lists are opened", "apiVersion: v1\nkind: List\nitems:\n- " + strings.TrimSpace(strings.ReplaceAll(app, "\n", "\n  ")) + "\n", []string{"Application a at f:1"}},
		"Settings":    {"the engine's settings, by their name", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, namespace: hub}\n", []string{"settings of hub"}},
		"Params":      {"what the installation is started with", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cmd-params-cm, namespace: hub}\n", []string{"params of hub"}},
		"OtherMap":    {"no other ConfigMap", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm-old}\n", nil},
		"Schema":      {"a schema", "apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: m}\nspec: {keys: [{key: a}]}\n", []string{"schema m at f:1"}},
		"SchemaPatch": {"one without keys is a part of one", "apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: m}\nspec: {closed: true}\n", nil},
		"Unknown": {"a field that is dropped, and where it is", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source: {repoURL: r}\n  projet: x\n",
			[]string{"Application a at f:1", "UnknownField at f:6: Application a has no field spec.projet; the API server drops it"}},
		"UnknownItem": {"also in a list", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  sources:\n  - repoURL: r\n  - repoURL: r\n    pat: x\n",
			[]string{"Application a at f:1", "UnknownField at f:8: Application a has no field spec.sources[1].pat; the API server drops it"}},
		"Status":   {"what the API server writes is no mistake", app + "status: {sync: {status: Synced, other: x}}\n", []string{"Application a at f:1"}},
		"Name":     {"a name that another tool fills in", strings.Replace(app, "name: a", "name: 'a-{{x}}'", 1), []string{`Template at f:1: the Application named "a-{{x}}" is a template of another tool, so it is left out`}},
		"NoName":   {"and one without", strings.Replace(app, "name: a", "labels: {}", 1), []string{`Template at f:1: the Application named "" is a template of another tool, so it is left out`}},
		"Values":   {"placeholders of a set are its own", strings.Replace(set, "spec: {", "spec: {template: {metadata: {name: '{{x}}'}}, ", 1), []string{"ApplicationSet s at f:1"}},
		"Broken":   {"what cannot be read is told, and the rest is read", app + "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: [\n---\n" + set, []string{"Application a at f:1", "ApplicationSet s at f:10"}},
		"BrokenNo": {"what was for another tool is not", "apiVersion: argoproj.io/v1alpha1\nkind: Application\n{{ if x }}\nmetadata: {name: a}\n{{ end }}\n", nil},
		"Bare":     {"nor what has placeholders without quotes", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {{ x }}\n  labels: {{ y }}: z\n", nil},
		"OtherBad": {"nor what is of other tools altogether", "# argoproj.io\nname: [\n", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			found := &Found{}
			parse([]byte(tc.text)).into("f", found)
			got := brief(found)
			if name == "Broken" { // the reader's own words end it
				if len(got) != 3 || !strings.HasPrefix(got[2], "BrokenYAML at f:") || !strings.Contains(got[2], "so what it declares is left out: ") {
					t.Fatalf("%s: %q", tc.reason, got)
				}
				got = got[:2]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// A set's placeholder without quotes is a mistake that is told: sets are not for
// another tool to fill in.
func TestPlaceholdersWithoutQuotes(t *testing.T) {
	text := "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  template:\n    metadata:\n      name: {{name}}-x\n"
	found := &Found{}
	parse([]byte(text)).into("f", found)
	if len(found.Warnings) != 1 || found.Warnings[0].Reason != "BrokenYAML" || found.Warnings[0].Origin.Line < 6 {
		t.Errorf("told is %q", brief(found))
	}
}

func TestFoldersAndFilesThatAreRead(t *testing.T) {
	tree := treetest.Snapshot("r", "1", treetest.Files{
		"a.yaml": app, "b.yml": strings.Replace(app, "name: a", "name: b", 1), "c.json": `{"apiVersion":"argoproj.io/v1alpha1","kind":"AppProject","metadata":{"name":"c"}}`,
		"d.yaml.bak": app, "README.md": app,
		".git/a.yaml": app, "web/node_modules/a.yaml": app,
		"chart/Chart.yaml": "name: c\n", "chart/templates/a.yaml": app, "chart/files/e.yaml": strings.Replace(app, "name: a", "name: e", 1),
		"chart/charts/sub/templates/f.yaml": strings.Replace(app, "name: a", "name: f", 1),
		"templates/g.yaml":                  strings.Replace(app, "name: a", "name: g", 1),
		"large.yaml":                        app + strings.Repeat("# a long comment\n", maxBytes/16),
		"copy/a.yaml":                       app,
	})
	reader := NewReader()
	for range 2 { // what is kept of a file is the same wherever the file is
		found, err := reader.Read(t.Context(), tree.Tree, ".")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"Application a at a.yaml:1", "Application b at b.yml:1", "Application f at chart/charts/sub/templates/f.yaml:1", "Application e at chart/files/e.yaml:1",
			"Application a at copy/a.yaml:1", "Application g at templates/g.yaml:1", "AppProject c",
		}
		if diff := cmp.Diff(want, brief(found)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if found.Files != 9 {
			t.Errorf("%d files were looked into", found.Files)
		}
	}
	found, err := reader.Read(t.Context(), tree.Tree, "chart/files")
	if err != nil || len(found.Applications) != 1 || found.Applications[0].File != "chart/files/e.yaml" {
		t.Errorf("of a folder is read %q, %v", brief(found), err)
	}
	if _, err := reader.Read(t.Context(), tree.Tree, "nowhere"); !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), "cannot look into folder nowhere") || !strings.Contains(err.Error(), "correct the path") {
		t.Errorf("of a folder that is not there is told %v", err)
	}
}

func TestSecretsAndSchemasOfAFileAreWhole(t *testing.T) {
	const cluster = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: c\n  labels: {argocd.argoproj.io/secret-type: cluster}\n"
	const schema = "apiVersion: causeway.io/v1alpha1\nkind: MetadataSchema\nmetadata: {name: m}\nspec: {keys: [{key: a}]}\n"
	cases := map[string]struct {
		reason, text, clusters, schemas string
	}{
		"Both":     {"each reads its own", cluster + "---\n" + schema, "c at f:1", "m at f:7"},
		"Secret":   {"a file of Secrets alone has no schemas", cluster, "c at f:1", "f has no MetadataSchema"},
		"Wrong":    {"a Secret that cannot be read is told of, with its place", cluster + "stringData: [a]\n", "cannot read the cluster Secrets of f: this Secret is left out: ", "cannot read the MetadataSchemas of f: "},
		"Broken":   {"so is a broken file", cluster + "data: {\n", "cannot read the cluster Secrets of f: ", "f has no MetadataSchema"},
		"Misspelt": {"a rule that would be left out is not kept", strings.Replace(schema, "{key: a}", "{key: a, requird: true}", 1), "", "MetadataSchema m has no field spec.keys[0].requird"},
		"Twice":    {"of a key that stands twice only the last counts, in Secrets", cluster + "type: Opaque\ntype: Opaque\n", "c at f:1", "f has no MetadataSchema"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clusters, err := Secrets("f", []byte(tc.text))
			told := fmt.Sprint(err)
			if err == nil {
				told = strings.TrimPrefix(strings.Join(brief(&Found{Clusters: clusters}), ", "), "cluster ")
			}
			if !strings.Contains(told, tc.clusters) || (tc.clusters == "") != (told == "") {
				t.Errorf("%s: of clusters is told %q", tc.reason, told)
			}
			schemas, err := Schemas("f", []byte(tc.text))
			told = fmt.Sprint(err)
			if err == nil {
				told = strings.TrimPrefix(strings.Join(brief(&Found{Schemas: schemas}), ", "), "schema ")
			}
			if !strings.Contains(told, tc.schemas) {
				t.Errorf("%s: of schemas is told %q", tc.reason, told)
			}
		})
	}
}
