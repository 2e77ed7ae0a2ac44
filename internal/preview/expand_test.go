package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// listSet declares a set that makes an application of a folder on the hub for
// each name.
func listSet(name, folder string, elements ...string) string {
	var items []string
	for _, e := range elements {
		items = append(items, "{name: "+e+"}")
	}
	return fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: %s, namespace: argocd}
spec:
  generators: [{list: {elements: [%s]}}]
  template:
    metadata: {name: '{{name}}'}
    spec:
      project: default
      source: {repoURL: %s, path: '%s', targetRevision: HEAD}
      destination: {name: hub, namespace: argocd}
`, name, strings.Join(items, ", "), repoURL, folder)
}

func TestExpandReachesTheFixedPoint(t *testing.T) {
	leaf := treetest.Files{"leaf/cm.yaml": configMap("leaf", "1")}
	cases := map[string]struct {
		reason string
		files  treetest.Files
		want   []string
		roots  []string // applications without parent
	}{
		"Folder": {
			"an application of the hub that holds Applications makes them",
			treetest.Files{"root.yaml": application("root", "apps", "hub"), "apps/a.yaml": application("a", "leaf", "dev")},
			[]string{"a", "root"}, []string{"root"},
		},
		"Chart": {
			"a chart may render Applications that no file declares",
			treetest.Files{
				"root.yaml": application("root", "chart", "hub"), "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "chart/values.yaml": "names: [a, b]\n",
				"chart/templates/apps.yaml": "{{- range .Values.names }}\n---\n" + strings.ReplaceAll(application("NAME", "leaf", "dev"), "NAME", "{{ . }}") + "{{- end }}\n",
			},
			[]string{"a", "b", "root"}, []string{"root"},
		},
		"Kustomize": {
			"a kustomization renames what it makes: the file alone is no application",
			treetest.Files{
				"root.yaml": application("root", "over", "hub"), "over/kustomization.yaml": "resources: [app.yaml]\nnamePrefix: eu-\n", "over/app.yaml": application("a", "leaf", "dev"),
			},
			[]string{"a", "eu-a", "root"}, []string{"a", "root"},
		},
		"SetsAndApps": {
			"sets make applications that make sets that make applications",
			treetest.Files{
				"set.yaml": listSet("teams", "teams/{{name}}", "red"), "teams/red/set.yaml": listSet("services", "services/{{name}}", "shop", "bank"),
				"services/shop/app.yaml": application("shop-db", "leaf", "dev"), "services/bank/app.yaml": application("bank-db", "leaf", "dev"),
			},
			[]string{"bank", "bank-db", "red", "shop", "shop-db"}, nil,
		},
		"SelfManaged": {
			"an application that makes itself is a root, once",
			treetest.Files{"apps/root.yaml": application("root", "apps", "hub"), "apps/a.yaml": application("a", "leaf", "dev")},
			[]string{"a", "root"}, []string{"root"},
		},
		"Circle": {
			"two applications that make each other have a start",
			treetest.Files{"one/two.yaml": application("two", "two", "hub"), "two/one.yaml": application("one", "one", "hub")},
			[]string{"one", "two"}, nil,
		},
		"OtherCluster": {
			"what goes to another cluster is no application of this hub's; its file is one all the same",
			treetest.Files{"root.yaml": application("root", "apps", "dev"), "apps/a.yaml": application("a", "leaf", "dev")},
			[]string{"a", "root"}, []string{"a", "root"},
		},
		"TwoFiles": {
			"two files that declare one name are for two hubs: both are looked at",
			treetest.Files{"eu/app.yaml": application("web", "leaf", "dev"), "us/app.yaml": application("web", "leaf", "hub")},
			[]string{"web of eu/app.yaml", "web of us/app.yaml"}, []string{"web", "web"},
		},
		"OneFile": {
			"three documents of one file that declare one name are all looked at",
			treetest.Files{"app.yaml": documents(application("web", "leaf", "dev"), application("web", "leaf", "hub"), application("web", "leaf", "dev"))},
			[]string{"web of app.yaml", "web of app.yaml, no. 2", "web of app.yaml, no. 3"}, []string{"web", "web", "web"},
		},
		"OneFileOfTwoNamespaces": {
			"one name in two namespaces is two applications",
			treetest.Files{"app.yaml": documents(application("web", "leaf", "dev"), strings.Replace(application("web", "leaf", "dev"), "namespace: argocd", "namespace: teams", 1))},
			[]string{"web", "web"}, []string{"web", "web"},
		},
		"OneFolder": {
			"what an application makes more than once is looked at each time that it differs",
			treetest.Files{
				"root.yaml":   application("root", "apps", "hub"),
				"apps/a.yaml": documents(application("a", "leaf", "dev"), application("a", "leaf", "hub"), application("a", "root", "dev"), application("a", "leaf", "hub")),
				"root/x.yaml": configMap("x", "1"),
			},
			[]string{"a", "a of Application argocd/root", "a of Application argocd/root, no. 2", "root"}, []string{"root"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t, with(treetest.Files{"leaf/cm.yaml": leaf["leaf/cm.yaml"]}, tc.files))
			state := c.expand()
			if d := cmp.Diff(tc.want, appNames(state)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			var roots []string
			for _, a := range state.Applications() {
				if a.Parent == (preview.ID{}) {
					roots = append(roots, a.Name)
				}
			}
			if name == "Circle" {
				if len(roots) != 1 {
					t.Errorf("%s: the starts are %v", tc.reason, roots)
				}
				return
			}
			if d := cmp.Diff(tc.roots, roots); d != "" {
				t.Errorf("%s: roots (-want +got):\n%s", tc.reason, d)
			}
			if all := state.Failures(); len(all) > 0 {
				t.Errorf("%s: %v", tc.reason, all)
			}
		})
	}
}

// documents are of one file.
func documents(all ...string) string { return strings.Join(all, "---\n") }

func TestEveryItemOfAListIsARoot(t *testing.T) {
	items := "  - " + strings.ReplaceAll(strings.TrimSpace(application("a", "leaf", "dev")), "\n", "\n    ") + "\n  - " +
		strings.ReplaceAll(strings.TrimSpace(application("b", "leaf", "dev")), "\n", "\n    ") + "\n"
	c := newCheckout(t, treetest.Files{"leaf/cm.yaml": configMap("leaf", "1"), "apps.yaml": "apiVersion: v1\nkind: List\nitems:\n" + items})
	c.options.Roots = []string{"apps.yaml"}
	if d := cmp.Diff([]string{"a", "b"}, appNames(c.expand())); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestSecondDocumentOfAFileIsPreviewed(t *testing.T) {
	second := application("web", "b", "dev")
	c := newCheckout(t, treetest.Files{
		"app.yaml": documents(application("web", "a", "dev"), second), "a/cm.yaml": configMap("a", "1"), "b/cm.yaml": configMap("b", "1"),
	})
	f := c.change(treetest.Files{"b/cm.yaml": configMap("b", "2")}).preview()
	if d := cmp.Diff([]string{"changed web on dev; changed ConfigMap/b data.key: 1 → 2"}, told(f)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	f = c.change(treetest.Files{"app.yaml": application("web", "a", "dev")}).preview()
	if d := cmp.Diff([]string{"removed web on dev; removed ConfigMap/b"}, told(f)); d != "" {
		t.Errorf("the second goes (-want +got):\n%s", d)
	}
}

func TestNamesakesWithoutEndAreLeftOutWithAFailure(t *testing.T) {
	var all []string
	for i := range 40 {
		all = append(all, application("a", fmt.Sprintf("leaf/%d", i), "dev"))
	}
	c := newCheckout(t, treetest.Files{"root.yaml": application("root", "apps", "hub"), "apps/a.yaml": documents(all...)})
	report := c.lint()
	if n := len(report.State.Apps); n != 34 {
		t.Errorf("%d applications are looked at, want the root, the first and 32 more", n)
	}
	if text := messages(report.Failures); !strings.Contains(text, "TooManyNamesakes Application argocd/a is left out") {
		t.Errorf("the failures are: %s", text)
	}
}

func TestExpandStartsFromNamedRoots(t *testing.T) {
	files := treetest.Files{
		"leaf/cm.yaml": configMap("leaf", "1"), "eu/root.yaml": application("root", "eu/apps", "hub"), "eu/apps/a.yaml": application("a", "leaf", "dev"),
		"us/web.yaml": application("web", "leaf", "dev"), "us/set.yaml": listSet("sets", "leaf", "one"),
	}
	cases := map[string]struct {
		reason string
		roots  []string
		want   []string
		err    string
	}{
		"Name":    {"a root and what it makes", []string{"root"}, []string{"a", "root"}, ""},
		"Kind":    {"a kind tells names apart", []string{"applicationset/sets"}, []string{"one"}, ""},
		"File":    {"what one file declares", []string{"us/web.yaml"}, []string{"web"}, ""},
		"Folder":  {"what a folder declares", []string{"us/"}, []string{"one", "web"}, ""},
		"Several": {"several roots, one twice", []string{"web", "us/web.yaml", "root"}, []string{"a", "root", "web"}, ""},
		"Unknown": {"a name that is not there names those that are", []string{"rot"}, nil, `no Application or ApplicationSet "rot"`},
	}
	c := newCheckout(t, files)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			state, err := preview.Expand(t.Context(), c.side("HEAD", c.roster), preview.Options{Roots: tc.roots})
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), "root") {
					t.Fatalf("%s: got %v", tc.reason, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, appNames(state)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

func TestApplicationsWithoutEndAreStopped(t *testing.T) {
	c := newCheckout(t, treetest.Files{
		"root.yaml":        strings.Replace(application("root", "chart", "hub"), "path: chart,", "path: chart, helm: {parameters: [{name: name, value: x}]},", 1),
		"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"chart/templates/app.yaml": strings.Replace(application("{{ .Values.name }}", "chart", "hub"), "path: chart,",
			"path: chart, helm: {parameters: [{name: name, value: '{{ .Values.name }}x'}]},", 1),
	})
	report := c.lint()
	if len(report.State.Apps) < 10 || len(report.State.Apps) > 100 {
		t.Errorf("%d applications were expanded", len(report.State.Apps))
	}
	if text := messages(report.Failures); !strings.Contains(text, "TooDeep") || !strings.Contains(text, "ever new names") {
		t.Errorf("the failures are: %s", text)
	}
}

func TestGeneratorsThatExplodeAreStopped(t *testing.T) {
	list := "list: {elements: [" + strings.TrimSuffix(strings.Repeat("{a: x}, ", 40), ", ") + "]}"
	set := strings.Replace(listSet("many", "leaf", "x"), "generators: [{list: {elements: [{name: x}]}}]",
		"generators: [{matrix: {generators: [{"+list+"}, {"+strings.ReplaceAll(list, "a:", "b:")+"}]}}]", 1)
	c := newCheckout(t, treetest.Files{"set.yaml": set, "leaf/cm.yaml": configMap("leaf", "1"), "app.yaml": application("other", "leaf", "dev")})
	limits := generate.DefaultLimits()
	limits.ParameterSets = 1000
	c.options.Generators = []generate.Option{generate.WithLimits(limits)}
	report := c.lint()
	if text := messages(report.Failures); !strings.Contains(text, "more than 1000 parameter sets") || !strings.Contains(text, "many") {
		t.Errorf("the failures are: %s", text)
	}
	if d := cmp.Diff([]string{"other"}, appNames(report.State)); d != "" {
		t.Errorf("the rest goes on (-want +got):\n%s", d)
	}
}
