package preview

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// What is missing says what to add, and where.
func TestPlaceholdersSayWhatToAdd(t *testing.T) {
	const text = "kind: ApplicationSet\n# {{values.zone}}\nspec:\n  a: '{{metadata.labels.env}}'\n  b: '{{ .metadata.annotations.region }}'\n  c: '{{path.basename}}'\n  d: '{{values.zone}}'\n"
	repo := treetest.Snapshot("r", "1", treetest.Files{"set.yaml": text})
	s := &State{Apps: map[ID]*App{}, Sets: map[ID]*Set{}}
	s.Side.Repo = repo
	plain, template := &v1alpha1.ApplicationSet{}, &v1alpha1.ApplicationSet{}
	template.Spec.GoTemplate = true
	s.Sets[setID("plain")] = &Set{ApplicationSet: plain, Place: declared.Place{File: "set.yaml", Line: 3}}
	s.Sets[setID("go")] = &Set{ApplicationSet: template, Place: declared.Place{File: "set.yaml", Line: 3}}
	s.Sets[setID("elsewhere")] = &Set{ApplicationSet: plain, Repo: "https://git.example.com/x", Place: declared.Place{File: "set.yaml", Line: 3}}
	s.Apps[appID("own")] = &App{Application: &v1alpha1.Application{}, Place: declared.Place{File: "set.yaml", Line: 1}}
	cases := map[string]struct {
		reason     string
		subject    ID
		key        string
		want, line string
	}{
		"Label":      {"a label", setID("plain"), "metadata.labels.env", "{{metadata.labels.env}} has no value and stays as it stands; add the label env to the cluster Secret", "set.yaml:4"},
		"Annotation": {"an annotation, of a Go template", setID("go"), "metadata.annotations.region", "{{.metadata.annotations.region}} has no value, so the template prints <no value>; add the annotation region to the cluster Secret", "set.yaml:5"},
		"Value":      {"a value of the generator, from where the set begins on", setID("plain"), "values.zone", "{{values.zone}} has no value and stays as it stands; add zone to the values of the generator", "set.yaml:7"},
		"Other":      {"what a generator would give", setID("plain"), "path.basename", "{{path.basename}} has no value and stays as it stands; no generator of the set gives it", "set.yaml:6"},
		"Nowhere":    {"a line that is not found is that of the set", setID("plain"), "nowhere", "no generator of the set gives it", "set.yaml:3"},
		"NoValue":    {"a Go template that says nothing of which", setID("go"), noValue, "a parameter is missing, so the template prints <no value>; add it, or set goTemplateOptions to missingkey=error", "set.yaml:3"},
		"NoSet":      {"an Application that no set made", appID("own"), "path.basename", "{{path.basename}} has no value and stays as it stands; only the template of an ApplicationSet has it filled", "set.yaml:6"},
		"OtherRepo":  {"a set of another repository is not looked into", setID("elsewhere"), "metadata.labels.env", "add the label env", "set.yaml:3"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := s.lacking(lack{tc.subject, tc.key}, []string{"a"})
			if !strings.HasSuffix(got.message, tc.want) && !strings.Contains(got.message, tc.want) || got.origin.String() != tc.line {
				t.Errorf("%s: at %s: %s", tc.reason, got.origin, got.message)
			}
		})
	}
}

// A set asks for a key in a placeholder, through index, or in a selector; another key
// that only begins or ends so is another one.
func TestLinesThatAskForAKey(t *testing.T) {
	const text = `spec:
  a: '{{metadata.labels.environments}}'
  b: '{{metadata.labels.my-env}}'
  c: '{{metadata.labels.env}}'
  d: '{{ index .metadata.labels "a.b/tier" }}'
  e: {matchLabels: {region: eu}}
  f: '{{ .values.zone }}'
  g: {key: 'size'}
`
	s := &State{}
	s.Side.Repo = treetest.Snapshot("r", "1", treetest.Files{"set.yaml": text})
	set := &Set{Place: declared.Place{File: "set.yaml", Line: 1}}
	for parameter, want := range map[string]string{
		"metadata.labels.env": "set.yaml:4", "metadata.labels.a.b/tier": "set.yaml:5", "metadata.labels.region": "set.yaml:6",
		"metadata.annotations.size": "set.yaml:8", "metadata.labels.nowhere": "set.yaml:1",
	} {
		if got := s.LineOf(set, parameter); got != want {
			t.Errorf("%s is asked for in %s, want %s", parameter, got, want)
		}
	}
	gone := &Set{Place: declared.Place{File: "gone.yaml", Line: 7}}
	if got := s.LineOf(gone, "metadata.labels.env"); got != "gone.yaml:7" {
		t.Errorf("of a file that cannot be read is told %s", got)
	}
}

// An application that goes to the hub may be made for another cluster, which its name
// tells; of several names the longest.
func TestClustersThatApplicationsAreFor(t *testing.T) {
	s := fleetWith([3]string{"prod-eu"}, [3]string{"prod"}, [3]string{"dev"})
	app := func(name, cluster, server string) *App {
		a := appOn(name, cluster, ID{})
		a.Cluster.Server = server
		return a
	}
	cases := map[string]struct {
		reason string
		app    *App
		want   string
	}{
		"Its":     {"it goes there", app("web-dev", "prod", "https://prod"), "prod"},
		"ByName":  {"from the hub its name tells", app("web-prod", "hub", gitops.HubServer), "prod"},
		"Longest": {"and the longest of several", app("web-prod-eu", "hub", gitops.HubServer), "prod-eu"},
		"Part":    {"a part of a word is no name", app("developer", "hub", gitops.HubServer), "hub"},
		"Nobody":  {"nobody knows", app("web", "", ""), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := s.concerned(tc.app); got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}

func TestValueFilesThatCanBeLookedUp(t *testing.T) {
	chart := treetest.Snapshot("chart", "1", treetest.Files{"charts/web/values.yaml": "a: 1\n"})
	values := treetest.Snapshot("values", "1", treetest.Files{"prod.yaml": "a: 1\n"})
	a := &App{Application: &v1alpha1.Application{}, Snapshots: []*gitops.Snapshot{chart, values, nil}}
	a.Spec.Sources = []v1alpha1.ApplicationSource{{Path: "charts/web"}, {Ref: "values"}, {Ref: "away", Path: "x"}, {Path: "unread"}}
	cases := map[string]struct {
		reason string
		source int
		name   string
		file   string
		ok     bool
		lacks  bool
	}{
		"Beside":   {"beside the chart", 0, "values.yaml", "charts/web/values.yaml", true, false},
		"Lacks":    {"one that is not there", 0, "other.yaml", "charts/web/other.yaml", true, true},
		"Ref":      {"of a source that is referred to", 0, "$values/prod.yaml", "prod.yaml", true, false},
		"RefLacks": {"one that is not there", 0, "$values/../dev.yaml", "dev.yaml", true, true},
		"RefAway":  {"of a source that cannot be read", 0, "$away/prod.yaml", "", false, false},
		"RefNone":  {"of a source that is not there", 0, "$none/prod.yaml", "", false, false},
		"Pattern":  {"a pattern is no name", 0, "*.yaml", "", false, false},
		"Address":  {"nor is an address", 0, "https://example.com/a.yaml", "", false, false},
		"Variable": {"nor what the build says", 0, "values-$ARGOCD_APP_NAME.yaml", "", false, false},
		"Unread":   {"of a source that cannot be read nothing is known", 2, "a.yaml", "", false, false},
		"NotYet":   {"nor of one that was not read yet", 3, "a.yaml", "", false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, file, ok := a.locate(tc.source, tc.name)
			if file != tc.file || ok != tc.ok || a.lacks(tc.source, tc.name) != tc.lacks {
				t.Errorf("%s: %q, %t; lacks %t", tc.reason, file, ok, a.lacks(tc.source, tc.name))
			}
		})
	}
}

// What a generator of Git looks into decides whether a set that fails is certain to be
// as it was.
func TestFoldersThatGeneratorsLookInto(t *testing.T) {
	for pattern, want := range map[string]string{
		"apps/*": "apps", "apps/a*/x": "apps", "apps/**/config.yaml": "apps", "*": ".", "/apps/[ab]": "apps", "apps/web": "apps/web",
		"apps/web/config.json": "apps/web/config.json", "apps/{{path}}": "apps", "{a,b}": ".", "": ".", "apps/../x/*": "x",
	} {
		if got := folderOf(pattern); got != want {
			t.Errorf("%q looks into %q, want %q", pattern, got, want)
		}
	}
	nested := map[string]any{"matrix": map[string]any{"generators": []any{map[string]any{"list": map[string]any{}}, map[string]any{"merge": map[string]any{"generators": []any{map[string]any{"plugin": map[string]any{"a": "b"}, "clusters": nil}}}}}}}
	for kind, want := range map[string]bool{"list": true, "plugin": true, "merge": true, "clusters": false, "git": false} {
		if got := holds(nested, kind); got != want {
			t.Errorf("%s stands in them: %t", kind, got)
		}
	}
}

// The words for machines tell where to look: at the source, at the cluster, or at the manifests.
func TestReasonsOfFailures(t *testing.T) {
	unknown := gitops.Problemf(gitops.NotFound, "no cluster is x")
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Cluster":  {"a destination that names none", unknown, "UnknownCluster"},
		"File":     {"a file that is not there is another matter", gitops.Problemf(gitops.NotFound, "no such file").At(gitops.Origin{File: "a.yaml"}), "RenderError"},
		"Fetch":    {"a source that cannot be read", &fetchError{err: errors.New("refused")}, "FetchError"},
		"Mirror":   {"one that is not at hand", &fetchError{err: gitops.Problemf(gitops.NotMirrored, "no mirror")}, notMirrored},
		"Manifest": {"all else", errors.New("template: bad"), "RenderError"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := reasonOf(tc.err); got != tc.want {
				t.Errorf("%s: %s", tc.reason, got)
			}
		})
	}
}

// Another version of an application is rendered with the sources and the cluster of
// the one of that name.
func TestVersionsOfApplications(t *testing.T) {
	s := &State{Apps: map[ID]*App{}}
	one := appOn("web", "dev", ID{})
	other := appOn("web", "prod", ID{})
	other.ID.Namespace = "team"
	s.Apps[one.ID], s.Apps[other.ID] = one, other
	asked := &v1alpha1.Application{}
	asked.Name, asked.Namespace = "web", "team"
	got, err := s.version(asked)
	if err != nil || got.Cluster.Name != "prod" || got.Application != asked || other.Application == asked {
		t.Errorf("of two of that name got %+v, %v", got, err)
	}
	asked = &v1alpha1.Application{}
	asked.Name = "db"
	if _, err := s.version(asked); !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), `the repository gives no Application "db"`) {
		t.Errorf("of one that is not there: %v", err)
	}
	delete(s.Apps, other.ID)
	asked.Name = "web"
	if got, err := s.version(asked); err != nil || cmp.Diff("dev", got.Cluster.Name) != "" {
		t.Errorf("a namespace may be left out: %v", err)
	}
}
