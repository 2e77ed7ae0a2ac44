package preview_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func TestLintTellsWhatIsLikelyAMistake(t *testing.T) {
	three := clusters("hub", "dev/web=on,env=dev,@region=eu", "prod/web=on,env=prod", "test/web=on,env=test")
	set := setOf("web", `web: "on"`)
	edit := func(from, to string) treetest.Files {
		if !strings.Contains(set, from) {
			t.Fatalf("the set has no %q", from)
		}
		return treetest.Files{"set.yaml": strings.Replace(set, from, to, 1)}
	}
	cases := map[string]struct {
		reason string
		files  treetest.Files
		want   []string
		says   string
	}{
		"Unresolved": {
			"one warning for all clusters that lack an annotation, at its line", treetest.Files{"set.yaml": set},
			[]string{"UnresolvedParameter set.yaml:19 on prod, test"}, "add the annotation region to the cluster Secret",
		},
		"UnresolvedEverywhere": {
			"a value that no generator gives", edit("{{metadata.annotations.region}}", "{{values.regio}}"),
			[]string{"UnresolvedParameter set.yaml:19 on dev, prod, test"}, "add regio to the values of the generator",
		},
		"OtherTemplates": {
			"placeholders of other tools in values are none of ours",
			edit("values: 'region: \"{{metadata.annotations.region}}\"'", "values: 'legend: \"{{pod}} ${{values.x}} {{ .Values.y }} {{workflow.name}}\"'"), []string{}, "",
		},
		"PartlyFilled": {
			"what some clusters have filled is meant to be filled",
			treetest.Files{"set.yaml": strings.ReplaceAll(strings.Replace(set, "    - clusters:\n        selector: {matchLabels: {web: \"on\"}}\n",
				"    - list: {elements: [{name: dev, zone: a}, {name: prod}]}\n", 1), "values: 'region: \"{{metadata.annotations.region}}\"'", "values: 'region: \"{{zone}}\"'")},
			[]string{"UnresolvedParameter set.yaml:17 on dev, prod", "UnresolvedParameter set.yaml:18 on prod"}, "no generator of the set gives it",
		},
		"GoTemplate": {
			"a missing parameter of a Go template",
			treetest.Files{"set.yaml": strings.NewReplacer("spec:\n  generators", "spec:\n  goTemplate: true\n  generators", "{{name}}", "{{.name}}", "{{metadata.labels.env}}", "{{.metadata.labels.env}}",
				"{{metadata.annotations.region}}", "{{.metadata.annotations.region}}").Replace(set)},
			[]string{"UnresolvedParameter set.yaml:20 on prod, test"}, "{{.metadata.annotations.region}} has no value, so the template prints <no value>",
		},
		"ValueFileNowhere": {
			"a value file that no cluster has", edit("../../values/all.yaml", "../../values/al.yaml"),
			[]string{"UnresolvedParameter set.yaml:19 on prod, test", "ValueFileNowhere set.yaml:18"}, "exists for none of the 3 applications",
		},
		"SelectorValue": {
			"a selector for a value that no cluster has", edit(`{web: "on"}`, `{env: stagin}`),
			[]string{"SelectorMatchesNothing set.yaml:7"}, "no cluster has the label env=stagin: there are dev, prod, test",
		},
		"SelectorKey": {
			"a label that no cluster has", edit(`{web: "on"}`, `{teams: red}`),
			[]string{"SelectorMatchesNothing set.yaml:7"}, "no cluster has the label teams",
		},
		"Misspelled": {
			"a switch that is spelled otherwise", edit(`{web: "on"}`, `{w-e-b: "on"}`),
			[]string{"SelectorMatchesNothing set.yaml:7"}, "but there is web",
		},
		"SwitchedOff": {
			"an addon that is on nowhere is no mistake", edit(`{web: "on"}`, `{enable_foo: "true"}`), []string{}, "",
		},
		"DuplicateKeys": {
			"keys that stand twice in value files, manifests and declarations",
			treetest.Files{
				"values/prod.yaml": "replicas: 1\nreplicas: 3\n", "charts/web/values.yaml": "replicas: 1\ntag: \"1\"\nregion: none\ntag: \"2\"\n",
				"set.yaml": strings.Replace(set, "path: charts/web", "path: charts/webb\n        path: charts/web", 1),
				"a.yaml":   application("a", "a", "dev"), "a/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: '1'\n  x: '2'\n",
			},
			[]string{
				"DuplicateKey a/cm.yaml:6 on dev", "DuplicateKey charts/web/values.yaml:4", "DuplicateKey set.yaml:15", "DuplicateKey values/prod.yaml:2",
				"UnresolvedParameter set.yaml:20 on prod, test",
			}, "the last of them counts",
		},
		"UnknownField": {
			"a field that does not exist", edit("targetRevision: HEAD", "targetrevision: HEAD"),
			[]string{"UnknownField set.yaml:15", "UnresolvedParameter set.yaml:19 on prod, test"}, "spec.template.spec.source.targetrevision",
		},
		"UnknownFieldOfTemplate": {
			"a field that does not exist in what a chart renders",
			treetest.Files{
				"root.yaml": application("root", "root", "hub"), "root/Chart.yaml": "apiVersion: v2\nname: r\nversion: 1.0.0\n",
				"root/templates/a.yaml": strings.Replace(application("a", "a", "dev"), "project: default", "projekt: default", 1), "a/cm.yaml": configMap("a", "1"),
			},
			[]string{"UnknownField root/templates/a.yaml:1"}, "spec.projekt",
		},
		"TwoMakers": {
			"two sets that give one name", treetest.Files{"a/cm.yaml": configMap("a", "1"), "one.yaml": listSet("one", "a", "x1", "x2"), "two.yaml": listSet("two", "a", "x2", "x3")},
			[]string{"TwoMakers two.yaml:1"}, "ApplicationSet argocd/one and ApplicationSet argocd/two both make Application x2",
		},
		"DeclaredTwice": {
			"two files that declare one name", treetest.Files{"a/cm.yaml": configMap("a", "1"), "x.yaml": application("a", "a", "dev"), "y.yaml": application("a", "a", "prod")},
			[]string{"DeclaredTwice x.yaml:1"}, "is declared in y.yaml:1, too",
		},
		"DeclaredTwiceInOneFile": {
			"two documents of one file that declare one name",
			treetest.Files{"a/cm.yaml": configMap("a", "1"), "x.yaml": documents(application("a", "a", "dev"), application("a", "a", "prod"))},
			[]string{"DeclaredTwice x.yaml:1"}, "is declared in x.yaml:12, too",
		},
		"MadeTwice": {
			"an application that makes another one twice",
			treetest.Files{
				"a/cm.yaml": configMap("a", "1"), "root.yaml": application("root", "apps", "hub"),
				"apps/x.yaml": documents(application("a", "a", "dev"), application("a", "a", "prod")),
			},
			[]string{"DeclaredTwice apps/x.yaml:12"}, "Application argocd/root makes Application argocd/a more than once",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := tc.files
			if files["set.yaml"] != "" {
				files = with(web(), files)
				files["values/test.yaml"] = "replicas: 1\n"
			}
			c := newCheckout(t, files)
			c.roster = three
			report := c.lint()
			got := findings(report.Warnings)
			slices.Sort(got)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s%s", tc.reason, d, messages(report.Warnings))
			}
			if text := messages(report.Warnings); !strings.Contains(text, tc.says) {
				t.Errorf("%s: nothing says %q: %s", tc.reason, tc.says, text)
			}
			if len(report.Failures) > 0 {
				t.Errorf("failures: %s", messages(report.Failures))
			}
		})
	}
}

func TestNamesakeThatGoesLeavesTheOther(t *testing.T) {
	c := newCheckout(t, treetest.Files{"a/cm.yaml": configMap("a", "1"), "x.yaml": application("web", "a", "dev"), "y.yaml": application("web", "a", "hub")})
	f := c.change(treetest.Files{"y.yaml": ""}).preview()
	if d := cmp.Diff([]string{"removed web on hub; removed ConfigMap/a"}, told(f)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestEqualNamesInOneSetNameBothParameterSets(t *testing.T) {
	c := newCheckout(t, treetest.Files{"a/cm.yaml": configMap("a", "1"), "set.yaml": strings.Replace(listSet("one", "a", "x1", "x2"), "name: '{{name}}'", "name: same", 1)})
	text := messages(c.lint().Failures)
	if !strings.Contains(text, `2 parameter sets give an Application named "same"`) || !strings.Contains(text, `name="x1"`) || !strings.Contains(text, `name="x2"`) {
		t.Errorf("the failures are: %s", text)
	}
}

func TestFailureOnOneClusterLeavesTheOthers(t *testing.T) {
	c := newCheckout(t, with(web(), treetest.Files{"set.yaml": setOf("web", `web: "on"`)}))
	c.roster = clusters("hub", "dev/web=on,env=dev,@region=eu", "prod/web=on,env=prod,@region=bad")
	template := web()["charts/web/templates/deployment.yaml"]
	f := c.change(treetest.Files{"charts/web/templates/deployment.yaml": `{{- if eq .Values.region "bad" }}{{ fail "no such region" }}{{ end -}}` + "\n" + strings.Replace(template, "example.com/web:", "example.com/new:", 1)}).preview()
	want := []string{"changed web-dev on dev; changed Deployment/web spec.template.spec.containers[name=web].image: example.com/web:1 → example.com/new:1"}
	if d := cmp.Diff(want, told(f)); d != "" {
		t.Errorf("the others are shown (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"RenderError charts/web/templates/deployment.yaml:1 on prod"}, findings(f.Failures)); d != "" {
		t.Errorf("the failure names its cluster (-want +got):\n%s", d)
	}
	if len(f.Failures) != 1 || !f.Failures[0].New || f.Summary.Unknown != 1 {
		t.Errorf("failures %+v, summary %+v", f.Failures, f.Summary)
	}
	again := c.change(treetest.Files{"README.md": "x\n"}).preview()
	if len(again.Failures) != 1 || again.Failures[0].New || len(again.Groups) != 0 {
		t.Errorf("what failed before is not new: %+v %v", again.Failures, told(again))
	}
}

func TestFailureAtBaseAlone(t *testing.T) {
	c := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n"})
	f := c.change(treetest.Files{"a/cm.yaml": configMap("a", "1")}).preview()
	if len(f.Failures) > 0 || len(f.Groups) > 0 || f.Summary.Unknown != 1 {
		t.Errorf("failures %v, groups %v, summary %+v", f.Failures, told(f), f.Summary)
	}
	if text := messages(f.Warnings); !strings.Contains(text, "FailedBefore") || !strings.Contains(text, "Application argocd/a") {
		t.Errorf("that it could not be compared is told: %s", text)
	}
}

func TestWhatAFailingMakerMakesIsNotRemoved(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   treetest.Files
		says   string
	}{
		"Set":       {"a set that cannot be expanded changes nothing", treetest.Files{"set.yaml": strings.Replace(listSet("one", "a", "x1", "x2"), "[{list:", "[{list: {elements: 3}}, {list:", 1)}, ""},
		"Broken":    {"a file that cannot be read changes nothing", treetest.Files{"set.yaml": listSet("one", "a", "x1", "x2") + "  bad: [\n"}, "BrokenYAML"},
		"Generator": {"a generator that fails changes nothing", treetest.Files{"set.yaml": strings.Replace(listSet("one", "a", "x1", "x2"), "[{list:", "[{git: {repoURL: 'https://nowhere.example.com/x', revision: HEAD, directories: [{path: '*'}]}}, {list:", 1)}, ""},
		"Parent":    {"an application whose manifests break changes none of its children", treetest.Files{"apps/bad.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n"}, "RenderError"},
		"Equal":     {"a name that two parameter sets give stays as it is", treetest.Files{"set.yaml": listSet("one", "a", "x1", "x2", "x2")}, "RejectedApplication"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t, treetest.Files{
				"set.yaml": listSet("one", "a", "x1", "x2"), "a/cm.yaml": configMap("a", "1"),
				"root.yaml": application("root", "apps", "hub"), "apps/child.yaml": application("child", "a", "dev"),
			})
			f := c.change(tc.edit).preview()
			if d := cmp.Diff([]string{}, told(f)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if len(f.Failures)+len(f.Missing) == 0 || f.Summary.Removed != 0 {
				t.Errorf("%s: failures %v, summary %+v", tc.reason, f.Failures, f.Summary)
			}
			if text := messages(f.Failures); !strings.Contains(text, tc.says) {
				t.Errorf("%s: nothing says %s: %s", tc.reason, tc.says, text)
			}
		})
	}
}

func TestMissingSourcesAreListedOnce(t *testing.T) {
	remote := func(name string) string {
		return strings.Replace(application(name, "x", "dev"), "source: {repoURL: "+repoURL+", path: x, targetRevision: HEAD}", "source: {repoURL: 'https://charts.example.com', chart: db, targetRevision: 1.2.3}", 1)
	}
	c := newCheckout(t, treetest.Files{"one.yaml": remote("one"), "two.yaml": remote("two"), "a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")})
	f := c.change(treetest.Files{"a/cm.yaml": configMap("a", "2")}).preview()
	if d := cmp.Diff([]string{"changed a on dev; changed ConfigMap/a data.key: 1 → 2"}, told(f)); d != "" {
		t.Errorf("the rest goes on (-want +got):\n%s", d)
	}
	if len(f.Missing) != 1 || len(f.Failures) != 0 {
		t.Fatalf("missing %+v, failures %+v", f.Missing, f.Failures)
	}
	m := f.Missing[0]
	if m.Chart != "db" || m.Revision != "1.2.3" || !strings.Contains(m.Command, "causeway mirror") {
		t.Errorf("it is %+v", m)
	}
	if d := cmp.Diff([]string{"one", "two"}, m.Applications); d != "" {
		t.Errorf("it names who needs it (-want +got):\n%s", d)
	}
}

func TestCheckoutByAnotherAddress(t *testing.T) {
	c := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")})
	c.git("remote", "set-url", "origin", "git@github.com:me/fork.git")
	c.change(treetest.Files{"a/cm.yaml": configMap("a", "2")})
	text := messages(c.preview().Warnings)
	for _, part := range []string{"NoOwnSource", "github.com/me/fork", repoURL, "--repo-url"} {
		if !strings.Contains(text, part) {
			t.Errorf("the warnings do not name %s: %s", part, text)
		}
	}
	other := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")})
	other.git("remote", "remove", "origin")
	other.config.RepoURLs = map[string]string{repoURL: "."}
	f := other.change(treetest.Files{"a/cm.yaml": configMap("a", "2")}).preview()
	if len(f.Warnings) > 0 || len(f.Groups) != 1 {
		t.Errorf("an address by hand is enough: %s %v", messages(f.Warnings), told(f))
	}
}

func TestSecretsStayHidden(t *testing.T) {
	secret := func(value string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: " + value + "}\n"
	}
	c := newCheckout(t, with(web(), treetest.Files{
		"a.yaml": application("a", "a", "dev"), "a/s.yaml": secret("hunter-one"), "b.yaml": application("b", "b", "dev"), "b/s.yaml": secret("bygone-one"),
		"set.yaml":                         setOf("web", `web: "on"`),
		"charts/web/templates/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: w}\nstringData: {token: {{ .Values.password }}}\n", "values/all.yaml": "password: swordfish-one\n",
	}))
	c.roster = clusters("hub", "dev/web=on,env=dev,@region=eu")
	parameters := func(value string) string {
		return strings.Replace(application("d", "charts/web", "dev"), "path: charts/web,", "path: charts/web, helm: {parameters: [{name: db.password, value: "+value+"}], values: 'password: "+value+"'},", 1)
	}
	c.change(treetest.Files{"d.yaml": parameters("parrot-one")})
	f := c.change(treetest.Files{
		"d.yaml": parameters("parrot-two"), "a/s.yaml": secret("hunter-two"), "b.yaml": "", "c.yaml": application("c", "c", "dev"), "c/s.yaml": secret("newcomer-one"),
		"values/all.yaml": "password: swordfish-two\n", "a/bad.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: t}\nstringData: {password: hunter-three}\nstringData: {password: hunter-four}\n",
	}).preview()
	text := asJSON(t, f)
	for _, value := range []string{"hunter", "bygone", "swordfish", "newcomer", "parrot"} {
		if strings.Contains(text, value) {
			t.Errorf("the forecast shows %s…: %s", value, text)
		}
	}
	if f.Summary.Changed != 3 || f.Summary.Added != 1 || f.Summary.Removed != 1 {
		t.Errorf("the changes themselves are told: %+v", f.Summary)
	}
}

func TestSwappingSidesSwapsTheAnswer(t *testing.T) {
	c := newCheckout(t, with(web(), treetest.Files{
		"set.yaml": setOf("web", `web: "on"`), "a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1"), "b.yaml": application("b", "a", "dev"),
	}))
	base := clusters("hub", "dev/web=on,env=dev,@region=eu", "old/web=on,env=prod,@region=eu")
	head := clusters("hub", "dev/web=on,env=prod,@region=us", "new/web=on,env=prod,@region=eu")
	c.change(treetest.Files{"a.yaml": "", "c.yaml": application("c", "a", "hub"), "a/cm.yaml": configMap("a", "2"), "values/prod.yaml": "replicas: 9\n", "charts/web/templates/more.yaml": configMap("more", "1")})
	there, back := c.make(c.side("HEAD~1", base), c.side("HEAD", head)), c.make(c.side("HEAD", head), c.side("HEAD~1", base))
	s, r := there.Summary, back.Summary
	if s.Added != r.Removed || s.Removed != r.Added || s.Changed != r.Changed || s.Objects.Added != r.Objects.Removed || s.Objects.Removed != r.Objects.Added || s.Objects.Changed != r.Objects.Changed {
		t.Errorf("there %+v, back %+v", s, r)
	}
	if s.Added != 2 || s.Removed != 2 || s.Changed != 2 {
		t.Errorf("the summary is %+v: %v", s, told(there))
	}
	for _, side := range []struct {
		revision string
		fleet    roster.Roster
	}{{"HEAD", head}, {"HEAD~1", base}} {
		if f := c.make(c.side(side.revision, side.fleet), c.side(side.revision, side.fleet)); len(f.Groups) > 0 || f.Summary.Unknown > 0 || f.Summary.Rendered > 0 {
			t.Errorf("a revision differs from itself: %v %+v", told(f), f.Summary)
		}
	}
}

func newOnes(all []forecast.Finding) int {
	n := 0
	for _, f := range all {
		if f.New {
			n++
		}
	}
	return n
}
