package generate

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestErrorsNameNoClusters: what is wrong with a set becomes its condition, which who
// reads the set need not be let read the clusters for.
func TestErrorsNameNoClusters(t *testing.T) {
	fleet := fakeClusters{
		{Name: "vault-1", Server: "https://vault-1.example.com", Secret: "one", Project: "bank"}, {Name: "vault-2", Server: "https://vault-2.example.com", Secret: "two", Project: "bank"},
		{Name: "vault-2", Server: "https://vault-3.example.com", Secret: "vault-three", Project: "bank"},
	}
	const clusters = "generators: [{clusters: {selector: {matchExpressions: [{key: x, operator: DoesNotExist}]}}}]"
	const values = "generators: [{clusters: {values: {a: '{{ fail \"x\" }}'}}}]"
	const merged = "generators: [{merge: {mergeKeys: [app], generators: [{clusters: {values: {app: x}}}, {clusters: {values: {app: x}}}]}}]"
	const outer = "generators: [{matrix: {generators: [{clusters: {}}, {list: {elements: [{app: '{{ fail \"x\" }}'}]}}]}}]"
	const git = "generators: [{matrix: {generators: [{clusters: {}}, {git: {repoURL: 'https://git.example.com/REPO', revision: main, files: [{path: 'PATH'}]}}]}}]"
	const elements = "generators: [{matrix: {generators: [{clusters: {}}, {list: {elementsYaml: '{{ printf \"- {a: 1}\\n%s: {\" .name }}'}}]}}]"
	const labels = "generators: [{matrix: {generators: [{clusters: {}}, {clusters: {selector: {matchLabels: {x: '{{name}}'}}}}]}}]"
	const two = "generators: [{matrix: {generators: [{clusters: {}}, {list: {elements: [{name: x}]}}]}}]"
	template := func(text string) string { return replaced(goMode(clusters), "{{.app}}", text, "{{.v}}", "v") }
	patch := func(text string) string {
		return replaced(fast(clusters), "{{app}}", "{{nameNormalized}}", "{{v}}", "v") + "\ntemplatePatch: \"" + text + "\""
	}
	cases := map[string]struct {
		reason, spec string
		warned       string
		says         string
	}{
		"Template": {"a template that cannot be rendered", template("{{ fail \"x\" }}"), "vault-1", `<fail "x">: error calling fail`},
		"Said":     {"what it says itself", template("{{ fail (printf \"none for %s\" .name) }}"), "none for vault-1", `<fail (printf "none for %s" .name)>: error calling fail`},
		"Range":    {"what it loops over", template("{{ range .name }}{{ end }}"), "iterate over vault-1", "<.name>: range can't iterate over …"},
		"Function": {"what a function is given", template("{{ index (list 1) (len .name) }}"), "vault-1", "error calling index"},
		"Bound":    {"how far it may go", template("{{ repeat 9999999 .name }}"), "vault-1", "error calling repeat: the result is too large"},
		"Key":      {"a key that is missing", template("{{ .region }}") + "\ngoTemplateOptions: [missingkey=error]", "vault-1", `map has no entry for key "region"`},
		"Values":   {"values that cannot", goMode(values), "vault-1", `values.a: cannot render "{{ fail \"x\" }}"`},
		"Outer":    {"a generator that cannot", goMode(outer), "vault-1", "second generator of the matrix: cannot render generator with the parameters of a cluster: list.elements.0.app: "},
		"Merge":    {"sets that cannot be told apart", goMode(merged), "app", "two parameter sets have the merge keys app, make them unique"},
		"Two":      {"a parameter that two generators give", fast(two), `name="vault-1" and name="x"`, `parameter "name" has two values; rename one`},
		"Names":    {"Applications of one name", replaced(fast(clusters), "{{app}}", "same", "{{v}}", "v"), "vault-1", "several parameter sets give Applications of one name"},
		"Missing":  {"parameters that are missing", replaced(fast(clusters), "{{app}}", "{{nameNormalized}}", "{{v}}", "{{metadata.labels.region}}"), "vault-1", "{{metadata.labels.region}}"},
		"Patch":    {"a patch that is no YAML", patch("spec:\\n  a: [{{name}}"), "vault-1", "templatePatch: cannot parse … as YAML: it is not YAML at line "},
		"Field":    {"one that does not fit", patch("spec: {source: '{{name}}'}"), "vault-1", "templatePatch: … is no part of an Application: spec.source is a string, and has to be "},
		"Text":     {"a patch that names no cluster", patch("spec: {source: text}"), "vault-1", `templatePatch: "spec: {source: text}" is no part of an Application`},

		"Repository": {"an address that names one", replaced(fast(git), "REPO", "{{name}}"), "git.example.com/vault-1", "second generator of the matrix: with the parameters of a cluster: cannot read repository … of the git generator: it is not there"},
		"Path":       {"a path that does", replaced(fast(git), "REPO", "repo", "PATH", "{{name}}/*.yaml"), "vault-1/bad.yaml", "cannot parse file: … (https://git.example.com/repo at 0123456)"},
		"Pattern":    {"a pattern that does", replaced(fast(git), "REPO", "repo", "PATH", "../{{name}}"), "vault-1", `cannot use file pattern "…" of the git generator: it is outside of the repository; write a path`},
		"Written":    {"what stands in the set is told", replaced(fast(git), "REPO", "none", "PATH", "a/*.yaml"), "none", "repository https://git.example.com/none does not exist"},
		"Elements":   {"a text that is made of one", goMode(elements), "vault-1", "cannot read elementsYaml as a list of maps: it is not YAML at line "},
		"Selector":   {"a selector that has one's name", fast(labels), "x=vault-1", "a selector of generator 1: second generator of the matrix matches no cluster"},

		"Destination": {"a destination that is none", replaced(template("{{ .nameNormalized }}"), "https://kubernetes.default.svc", "'https://{{.name}}'"), "https://vault-1", `generator 1: no cluster has the server "…"; add a cluster Secret for it`},
		"Project":     {"a project that is not there", replaced(template("{{ .nameNormalized }}"), "project: default", "project: 'of-{{.name}}'"), "of-vault-1", `generator 1: project "…" of Application … does not exist; create the AppProject`},
		"Invalid":     {"a name that is none", template("{{ .name }} !"), "vault-1 !", `generator 1: Application "…" is not valid: metadata.name: Invalid value; correct the template`},
	}
	repos := fakeRepos{"https://git.example.com/repo": dirTree{fstest.MapFS{"vault-1/bad.yaml": {Data: []byte("secrets of vault-1")}, "a/b.yaml": {Data: []byte("text")}}}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, err := New(fleet, repos, fakeProjects{"default"}).Applications(t.Context(), specSet(t, tc.spec))
			told := []string{e.Unresolved}
			names := false
			if err != nil {
				told = append(told, err.Error())
				names = strings.Contains(err.Error(), tc.warned) && !strings.Contains(tc.warned, "vault")
			}
			for _, r := range e.Rejected {
				told = append(told, r.Bare)
				names = names || strings.Contains(r.Err.Error(), tc.warned)
			}
			for _, w := range e.Warnings {
				names = names || strings.Contains(w.Message, tc.warned)
				told = append(told, w.Bare)
				if strings.Contains(w.Message, "vault") && (w.Bare == "" || !w.Fleet && len(w.Clusters) == 0) {
					t.Errorf("%s: it is not known whom a warning names: %+v", tc.reason, w)
				}
			}
			if !names || slices.Equal(told, []string{""}) {
				t.Errorf("%s: nobody is told which: %+v", tc.reason, e.Warnings)
			}
			if text := strings.Join(told, "\n"); strings.Contains(text, "vault") || !strings.Contains(text, tc.says) {
				t.Errorf("%s: who reads the set is told %s, want %s", tc.reason, text, tc.says)
			}
		})
	}
}

// TestErrorsOfACheckoutNameClusters: who has the whole fleet before them is told by the
// error, and by that alone.
func TestErrorsOfACheckoutNameClusters(t *testing.T) {
	const clusters = "generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]"
	spec := replaced(goMode(clusters), "{{.app}}", "{{ fail \"x\" }}")
	e, err := New(testFleet(), fakeRepos{}, anyProject{}, WithNames()).Applications(t.Context(), specSet(t, spec))
	if err == nil || !strings.Contains(err.Error(), `name="prod"`) || len(e.Warnings) > 0 {
		t.Errorf("the error is %v, beside %v", err, e.Warnings)
	}
}

// TestErrorsNameParameters: what is of no cluster is the set's own.
func TestErrorsNameParameters(t *testing.T) {
	for name, generators := range map[string]string{
		"Alone":         "generators: [{list: {elements: [{app: a, v: mine}]}}]",
		"AfterClusters": "generators: [{clusters: {}}, {list: {elements: [{app: a, v: mine}]}}]",
	} {
		t.Run(name, func(t *testing.T) {
			spec := replaced(goMode(generators), "{{.app}}", "{{ if .app }}{{ fail \"x\" }}{{ end }}")
			_, err := testGenerator().Applications(t.Context(), specSet(t, spec))
			if err == nil || !strings.Contains(err.Error(), `v="mine"`) || !strings.Contains(err.Error(), "fail: x") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestTwoValuesAreTold where none may be a cluster's, or who reads them has the fleet
// before them; of metadata, which is written for templates, there are none.
func TestTwoValuesAreTold(t *testing.T) {
	cases := map[string]struct {
		options    []Option
		spec, want string
	}{
		"Cluster":  {nil, "name: x", `parameter "name" has two values; rename`},
		"Checkout": {[]Option{WithNames()}, "name: x", `parameter "name" has two values (name="prod" and name="x"); rename`},
		"Metadata": {[]Option{WithNames()}, "metadata.labels.env: x", `parameter "metadata.labels.env" has two values; rename`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := fast("generators: [{matrix: {generators: [{clusters: {selector: {matchLabels: {env: prod}}}}, {list: {elements: [{" + tc.spec + "}]}}]}}]")
			_, err := New(testFleet(), fakeRepos{}, anyProject{}, tc.options...).Applications(t.Context(), specSet(t, spec))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %s", err, tc.want)
			}
		})
	}
}

// TestWarningsNameNoClusters: what a warning quotes is told to who may read all clusters.
func TestWarningsNameNoClusters(t *testing.T) {
	missing := gitops.Problemf(gitops.NotFound, "repository vault-1 does not exist")
	for name, clusters := range map[string]bool{"Clusters": true, "None": false} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t.Context(), testGenerator(), specSet(t, fast("generators: [{list: {elements: []}}]")))
			r.ofClusters = clusters
			r.warnf("RepositoryNotFound", "%s: it does not exist, so it gives nothing: %v", word("generator 1"), missing)
			r.warnf("Odd", "%s is odd", word("generator 1"))
			bare := ""
			if clusters {
				bare = "ApplicationSet set: generator 1: it does not exist, so it gives nothing: it is not there"
			}
			if w := r.warnings[0]; w.Bare != bare || w.Fleet != clusters || !strings.Contains(w.Message, "vault-1") {
				t.Errorf("warned of %+v", w)
			}
			if w := r.warnings[1]; w.Bare != "" || w.Fleet {
				t.Errorf("what quotes nothing is everybody's: %+v", w)
			}
		})
	}
}
