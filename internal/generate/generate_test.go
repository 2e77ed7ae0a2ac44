package generate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// expansion is one case: a set, and what comes of it.
type expansion struct {
	reason string
	// spec is the set's spec; a template is added unless it has one.
	spec string
	// want has an Application each, as name or name=value, sorted by name. The
	// value is that of the annotation v.
	want []string
	// rejected has name:stage each.
	rejected []string
	// wantErr is a part of the error's text.
	wantErr string
}

// templates name the Application after app and show v.
const (
	fastTemplate = "\ntemplate: {metadata: {name: '{{app}}', annotations: {v: '{{v}}'}}, spec: {project: default, destination: {server: https://kubernetes.default.svc}}}"
	goTemplate   = "\ngoTemplate: true\ntemplate: {metadata: {name: '{{.app}}', annotations: {v: '{{.v}}'}}, spec: {project: default, destination: {server: https://kubernetes.default.svc}}}"
)

func fast(spec string) string   { return spec + fastTemplate }
func goMode(spec string) string { return spec + goTemplate }

func testFleet() fakeClusters {
	return fakeClusters{
		{
			Name: "Dev_EU", Server: "https://dev.example.com", Secret: "dev", Project: "team",
			Labels:      map[string]string{"env": "dev", "example.com/tier": "low"},
			Annotations: map[string]string{"owner": "a", v1alpha1.AnnotationRefresh: "normal"},
		},
		{Name: "prod", Server: "https://prod.example.com", Secret: "prod", Labels: map[string]string{"env": "prod"}},
	}
}

func testRepo() fakeRepos {
	files := map[string]string{
		"apps/web/values.yaml": "", "apps/db_1/values.yaml": "", "apps/.hidden/values.yaml": "",
		"apps/web/sub/values.yaml": "", "apps/README.md": "",
		"envs/dev/one.yaml": "app: one\nnum: 1000000\nnested: {a: [x]}\noff: y", "envs/prod/two.json": `{"app":"two","values":{"v":"file"}}`,
		"lists/many.yaml": "- app: p\n- app: q", "lists/docs.yaml": "app: first\n---\napp: second",
		"bad/text.yaml": "just text", "empty.yaml": "",
	}
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fakeRepos{"https://git.example.com/repo": dirTree{tree}}
}

func testGenerator() *Generator {
	return New(testFleet(), testRepo(), fakeProjects{"default", "other"})
}

func TestApplications(t *testing.T) {
	for _, group := range []map[string]expansion{listCases, clusterCases, gitCases, matrixCases, mergeCases, templateCases, checkCases} {
		for name, c := range group {
			t.Run(name, func(t *testing.T) { c.check(t) })
		}
	}
}

func (c expansion) check(t *testing.T) {
	t.Helper()
	c.checkWith(t, testGenerator())
}

func (c expansion) checkWith(t *testing.T, g *Generator) {
	t.Helper()
	exp, err := g.Applications(context.Background(), specSet(t, c.spec))
	if c.wantErr != "" {
		if err == nil || !strings.Contains(err.Error(), c.wantErr) {
			t.Fatalf("error %v, want one with %q: %s", err, c.wantErr, c.reason)
		}
		var p *gitops.Problem
		if !errors.As(err, &p) || !strings.Contains(p.What, "ApplicationSet set") {
			t.Errorf("error %v is no problem that names the set", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("unexpected error: %v: %s", err, c.reason)
	}
	var got, rejected []string
	for _, app := range exp.Applications {
		text := app.Name
		if v, ok := app.Annotations["v"]; ok {
			text += "=" + v
		}
		got = append(got, text)
	}
	for _, r := range exp.Rejected {
		rejected = append(rejected, fmt.Sprintf("%s:%s", r.Name, r.By))
	}
	if d := cmp.Diff(c.want, got); d != "" {
		t.Errorf("%s\nApplications (-want +got):\n%s", c.reason, d)
	}
	if d := cmp.Diff(c.rejected, rejected); d != "" {
		t.Errorf("%s\nrejected (-want +got):\n%s", c.reason, d)
	}
}

func specSet(t testing.TB, spec string) *v1alpha1.ApplicationSet {
	t.Helper()
	set := parseSet(t, "metadata: {name: set, namespace: argocd}\nspec:\n  "+strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  "))
	return set
}

func parseSet(t testing.TB, text string) *v1alpha1.ApplicationSet {
	t.Helper()
	set := &v1alpha1.ApplicationSet{}
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return set
}

func TestReads(t *testing.T) {
	spec := fast("generators: [{matrix: {generators: [{clusters: {}}, {git: {repoURL: https://git.example.com/repo, revision: main, directories: [{path: apps/*}]}}]}}]")
	spec = strings.ReplaceAll(spec, "'{{v}}'", "'{{metadata.labels.env}}'")
	exp, err := testGenerator().Applications(context.Background(), specSet(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	want := Reads{
		Repos:    []gitops.SourceRef{{RepoURL: "https://git.example.com/repo", Revision: "main", Project: "default"}},
		Clusters: true, Keys: []string{"app", "metadata.labels.env"}, Projects: []string{"default"},
	}
	if d := cmp.Diff(want, exp.Reads); d != "" {
		t.Errorf("a controller wakes a set by these (-want +got):\n%s", d)
	}
}

func TestReadsOfError(t *testing.T) {
	spec := fast("generators: [{git: {repoURL: https://git.example.com/gone, revision: main, directories: [{path: apps/*}]}}]")
	exp, err := testGenerator().Applications(context.Background(), specSet(t, spec))
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.NotFound {
		t.Errorf("error %v, want the kind that the source gave", err)
	}
	if exp == nil || len(exp.Reads.Repos) != 1 || len(exp.Applications) != 0 {
		t.Errorf("expansion %+v, want the repository and no Application: the set must wake when the repository is back", exp)
	}
}

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct{ reason, spec, want string }{
		"fast": {
			reason: "a placeholder that stays names its key and the Applications",
			spec:   fast("generators: [{list: {elements: [{app: one}, {app: two, v: x}]}}]"),
			want:   "leaves {{v}} unresolved for one;",
		},
		"clusters": {
			reason: "it is the cluster's Secret that lacks it",
			spec:   replaced(fast("generators: [{clusters: {}}]"), "{{app}}", "{{nameNormalized}}", "{{v}}", "{{metadata.annotations.owner}}"),
			want:   "leaves {{metadata.annotations.owner}} unresolved for cluster in-cluster, cluster prod;",
		},
		"go": {
			reason: "<no value> is as likely a mistake",
			spec:   goMode("generators: [{list: {elements: [{app: one}]}}]"),
			want:   "renders {{.v}} as <no value> for one;",
		},
	} {
		t.Run(name, func(t *testing.T) {
			exp, err := testGenerator().Applications(context.Background(), specSet(t, c.spec))
			if err != nil {
				t.Fatal(err)
			}
			if len(exp.Warnings) != 1 || !strings.Contains(exp.Warnings[0].Message, c.want) {
				t.Errorf("warnings %v, want one with %q: %s", exp.Warnings, c.want, c.reason)
			}
		})
	}
}

func TestEqualClusterNames(t *testing.T) {
	fleet := fakeClusters{
		{Name: "a", Server: "https://1.example.com", Secret: "one"}, {Name: "a", Server: "https://2.example.com", Secret: "two"},
	}
	spec := replaced(fast("generators: [{clusters: {selector: {matchExpressions: [{key: x, operator: DoesNotExist}]}}}]"), "{{app}}", "{{name}}", "{{v}}", "{{server}}")
	exp, err := New(fleet, fakeRepos{}, anyProject{}).Applications(context.Background(), specSet(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	if len(exp.Applications) != 1 || exp.Applications[0].Annotations["v"] != "https://1.example.com" {
		t.Errorf("Applications %v, want one, of the first Secret", exp.Applications)
	}
	if len(exp.Warnings) != 1 || !strings.Contains(exp.Warnings[0].Message, "one and two") {
		t.Errorf("warnings %v, want one that names both Secrets", exp.Warnings)
	}
}

func TestDoublestarFiles(t *testing.T) {
	g := New(testFleet(), testRepo(), fakeProjects{"default"}, WithDoublestarFiles())
	for pattern, want := range map[string]string{"envs/*/*.yaml": "one", "envs/**/*.json": "two", "*.json": "", "envs/*": "matches a folder"} {
		exp, err := g.Applications(context.Background(), specSet(t, fast("generators: [{git: {"+gitHead+", files: [{path: '"+pattern+"'}]}}]")))
		if err != nil {
			if !strings.Contains(err.Error(), want) || want == "" {
				t.Errorf("%s: error %v", pattern, err)
			}
			continue
		}
		if got := strings.Join(names(exp.Applications), " "); got != want {
			t.Errorf("%s gives %q, want %q", pattern, got, want)
		}
	}
}
