package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// teamFiles are a repository that somebody else writes than the set that reads it.
type teamFiles struct{ fstest.MapFS }

// Snapshot implements generate.Snapshots.
func (f teamFiles) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	return &gitops.Snapshot{Ref: ref, Revision: strings.Repeat("0", 40), Tree: f}, nil
}

// Digest implements gitops.Tree.
func (teamFiles) Digest(string) (string, error) { return "", nil }

// anyProject has every project.
type anyProject struct{}

func (anyProject) HasProject(context.Context, string) (bool, error) { return true, nil }

// TestWhoseParameters: what a set gives is told to who may read the cluster whose
// parameters made it, whatever cluster these call themselves.
func TestWhoseParameters(t *testing.T) {
	const (
		red, blue = "{clusters: {selector: {matchLabels: {color: red}}}}", "{clusters: {selector: {matchLabels: {color: blue}}}}"
		file      = "{git: {repoURL: 'https://git.example.com/team', revision: main, files: [{path: app.yaml}]}}"
		list      = "{list: {elements: [{name: dev, server: 'https://dev'}]}}"
	)
	fleet := []gitops.Cluster{
		{Name: "dev", Server: "https://dev", Project: "red", Secret: "dev", Labels: map[string]string{"color": "red"}},
		{Name: "vault", Server: "https://vault", Project: "blue", Secret: "vault", Labels: map[string]string{"color": "blue"}},
	}
	files := teamFiles{fstest.MapFS{"app.yaml": {Data: []byte("name: dev\nserver: https://dev\n")}}}
	matrix := func(a, b string) string { return "{matrix: {generators: [" + a + ", " + b + "]}}" }
	merge := func(a, b string) string { return "{merge: {mergeKeys: [none], generators: [" + a + ", " + b + "]}}" }
	cases := map[string]struct {
		reason, generators string
		project            string
		fleet              bool
	}{
		"One":       {"those of one cluster", red, "red", false},
		"Flat":      {"a list is of all", "{clusters: {flatList: true, selector: {matchLabels: {color: blue}}}}", "", true},
		"Besides":   {"also beside one cluster", matrix(red, "{clusters: {flatList: true, selector: {matchLabels: {color: blue}}}}"), "", true},
		"None":      {"beside generators of clusters, what is of none is told as what is of any", "{clusters: {selector: {matchLabels: {color: none}}}}, " + list, "", true},
		"NotRead":   {"a set that reads no clusters tells of none", "{list: {elements: [{path: a, clusters: a}]}}", "", false},
		"NamedByIt": {"also where a file names one", file, "", false},

		"File":    {"a file that names one's own cluster shows no other one's", matrix(file, blue), "blue", false},
		"Behind":  {"nor behind it", matrix(blue, file), "blue", false},
		"Two":     {"two clusters are nobody's who may read one of them", matrix(red, blue), "", true},
		"Turned":  {"in either order", matrix(blue, red), "", true},
		"Laid":    {"nor where one is laid over the other", merge(blue, red), "", true},
		"Renamed": {"nor what is laid over it that calls it otherwise", merge(blue, list), "blue", false},
		"Twice":   {"and what is there twice is of one", matrix(red, red), "red", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := &v1alpha1.ApplicationSet{}
			text := "metadata: {name: set, namespace: argocd}\nspec: {goTemplate: true, generators: [" + tc.generators + "], template: {metadata: {name: web}, spec: {project: default, destination: {server: 'https://dev'}}}}"
			if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
				t.Fatal(err)
			}
			e, err := generate.New(listedClusters(fleet), files, anyProject{}, generate.WithParameters()).Applications(t.Context(), set)
			if err != nil || len(e.Applications) != 1 {
				t.Fatalf("%s: %+v, %v", tc.reason, e, err)
			}
			for _, e := range []*generate.Expansion{e, notCreated(e)} {
				one := lookAt(t, e, api.SetLook{Limit: 1}).Applications[0]
				if one.ClusterProject != tc.project || one.Fleet != tc.fleet || one.Server != "" != (tc.project != "") {
					t.Errorf("%s: of project %q, of all %t: %+v", tc.reason, one.ClusterProject, one.Fleet, one)
				}
			}
		})
	}
}

// notCreated are the Applications of an expansion, if none of them could be created.
func notCreated(e *generate.Expansion) *generate.Expansion {
	return &generate.Expansion{Reads: e.Reads, Rejected: []generate.Rejected{{Name: "web", Err: errors.New("no such project"), Params: e.Params, Of: e.Of}}}
}

// TestDeepParametersAreShownInPart: each of them has all keys above it in its name.
func TestDeepParametersAreShownInPart(t *testing.T) {
	var value any = slices.Repeat([]any{0.0}, mostParameters)
	for range 100 {
		value = map[string]any{strings.Repeat("a", 1000): value}
	}
	deep, _ := value.(map[string]any)
	long := generate.Params{"long": strings.Repeat("x", mostValue+1)}
	many := generate.Params{"many": slices.Repeat([]any{"x"}, mostParameters+1)}
	large := generate.Params{"large": slices.Repeat([]any{strings.Repeat("x", mostValue)}, 100)}
	for name, params := range map[string]generate.Params{"Deep": deep, "Long": long, "Many": many, "Large": large} {
		shown, cut := flat(params, redact.Masker{})
		bytes := 0
		for name, value := range shown {
			bytes += len(name) + len(value)
		}
		if bytes == 0 || bytes > mostFlat || len(shown) > mostParameters || !cut {
			t.Errorf("%s: %d have %d bytes, and are cut: %t", name, len(shown), bytes, cut)
		}
	}
	shown, cut := flat(generate.Params{"a": map[string]any{"b": []any{"x", 1.0}}}, redact.Masker{})
	if diff := cmp.Diff(map[string]string{"a.b.0": "x", "a.b.1": "1"}, shown); diff != "" || cut {
		t.Error(cut, diff)
	}
}

// expansionOf gives so many Applications, each with a parameter of so many bytes, and
// one that is not created.
func expansionOf(n, bytes int) *generate.Expansion {
	e, text := &generate.Expansion{}, strings.Repeat("x", bytes)
	for i := range n {
		app := v1alpha1.Application{}
		app.Name, app.Spec.Project = fmt.Sprintf("app-%05d", i), "shop"
		e.Applications, e.Of = append(e.Applications, app), append(e.Of, nil)
		e.Params = append(e.Params, generate.Params{"text": text})
	}
	refused := &v1alpha1.Application{}
	refused.Name = "refused"
	e.Rejected = []generate.Rejected{{Name: "refused", Err: errors.New("no such project"), Application: refused, Params: []generate.Params{{}}, Of: []*generate.Origin{nil}}}
	return e
}

// lookAt is what a look shows of an expansion.
func lookAt(t *testing.T, e *generate.Expansion, look api.SetLook) *api.Expansion {
	t.Helper()
	if look.Sees == nil {
		look.Sees = func(*api.GeneratedApp) bool { return true }
	}
	out := &api.Expansion{}
	if err := (showing{out: out, look: look, reads: e.Reads.Clusters, mask: redact.Masker{}}).all(e); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWhatALookShowsIsBounded: one answer has no more than a few MiB of a set, however
// many Applications it gives and however long what they were made with is, and says
// where to go on.
func TestWhatALookShowsIsBounded(t *testing.T) {
	const n, each, most = 2000, 32 << 10, 8 << 20
	e := expansionOf(n, each)
	seen := map[string]bool{}
	answers := 0
	for offset := 0; ; answers++ {
		out := lookAt(t, e, api.SetLook{Offset: offset, Limit: 20_000})
		bytes := 0
		for _, a := range out.Applications {
			if a.Manifest != "" || seen[a.Name] {
				t.Fatalf("%s has the manifest %q, and was shown: %t", a.Name, a.Manifest, seen[a.Name])
			}
			seen[a.Name] = true
			bytes += len(a.Parameters["text"])
		}
		if bytes == 0 || bytes > most || out.Total != n+1 {
			t.Fatalf("an answer has %d bytes, of %d Applications", bytes, out.Total)
		}
		if offset == 0 && out.Applications[0].Name != "refused" {
			t.Error("what is not created comes later")
		}
		if offset = out.Next; offset == 0 {
			break
		}
	}
	if len(seen) != n+1 || answers != n*each/most {
		t.Errorf("%d were shown, and it went on %d times", len(seen), answers)
	}
}

func TestLookAtASet(t *testing.T) {
	cases := map[string]struct {
		reason      string
		look        api.SetLook
		names       []string
		total, next int
		manifest    bool
	}{
		"All":    {"all of them, without manifests", api.SetLook{Limit: 9}, []string{"refused", "app-00000", "app-00001", "app-00002"}, 4, 0, false},
		"First":  {"as many as are asked for", api.SetLook{Limit: 2}, []string{"refused", "app-00000"}, 4, 2, false},
		"Next":   {"and those after them", api.SetLook{Offset: 2, Limit: 2}, []string{"app-00001", "app-00002"}, 4, 0, false},
		"Beyond": {"of which there may be none", api.SetLook{Offset: 4, Limit: 2}, nil, 4, 0, false},
		"One":    {"one by its name, with its manifest", api.SetLook{Application: "app-00001", Limit: 9}, []string{"app-00001"}, 1, 0, true},
		"None":   {"also where there is no such one", api.SetLook{Application: "other", Limit: 9}, nil, 0, 0, false},
		"Seen":   {"those that may be read, by what may be known of them", api.SetLook{Limit: 1, Sees: func(a *api.GeneratedApp) bool { return a.Project == "shop" && a.Parameters == nil }}, []string{"app-00000"}, 3, 1, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := lookAt(t, expansionOf(3, 1), tc.look)
			var names []string
			for _, a := range out.Applications {
				names = append(names, a.Name)
				if a.Manifest != "" != tc.manifest {
					t.Errorf("%s: %s has the manifest %q", tc.reason, a.Name, a.Manifest)
				}
			}
			if !slices.Equal(names, tc.names) || out.Total != tc.total || out.Next != tc.next {
				t.Errorf("%s: got %v of %d, and then %d", tc.reason, names, out.Total, out.Next)
			}
		})
	}
}

// TestShownOfDeepValues: an Application with values that are nested deeply takes about as
// much to be shown as it has.
func TestShownOfDeepValues(t *testing.T) {
	var values any = "the last"
	for range 400 {
		values = map[string]any{"a": values, "b": []any{"c"}}
	}
	text, err := shownYAML(map[string]any{"spec": values}, redact.Masker{})
	if err != nil || len(text) > 32<<10 || !strings.Contains(text, `"the last"`) {
		t.Errorf("%d bytes: %v", len(text), err)
	}
}

// Parameters come from files and clusters, and manifests from them: what is secret by its
// name is shown in neither, and in the set itself no more.
func TestSecretsOfSetsAreNotShown(t *testing.T) {
	const secret = "hunter2!"
	app := v1alpha1.Application{}
	app.Name, app.Spec.Project = "web", "shop"
	app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", Helm: &v1alpha1.ApplicationSourceHelm{
		Parameters: []v1alpha1.HelmParameter{{Name: "db.password", Value: secret}, {Name: "tier", Value: "gold"}},
		Values:     "tier: gold\npassword: " + secret + "\n",
	}}
	app.Status.Health.Message = "of its status"
	e := &generate.Expansion{Applications: []v1alpha1.Application{app}, Of: []*generate.Origin{nil}, Params: []generate.Params{{
		"tier": "gold", "metadata.annotations.api-token": secret, "db": map[string]any{"password": secret, "tokens": []any{secret}}, "dsn": "postgres://u:" + secret + "@db",
	}}}
	out := lookAt(t, e, api.SetLook{Application: "web", Limit: 1})
	one := out.Applications[0]
	text := fmt.Sprint(one.Parameters, one.Manifest)
	if strings.Contains(text, "hunter2") || strings.Count(text, "gold") != 3 || strings.Contains(text, "of its status") {
		t.Errorf("shown is %s", text)
	}
	want := map[string]string{"tier": "gold", "metadata.annotations.api-token": redact.Mask, "db.password": redact.Mask, "db.tokens.0": redact.Mask, "dsn": "postgres://u:" + redact.Mask + "@db"}
	if diff := cmp.Diff(want, one.Parameters); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is not created says why, at a length that can be read; also where nobody knows.
func TestWhyOneIsNotCreated(t *testing.T) {
	long := strings.Repeat("x", 2*mostText)
	for name, tc := range map[string]struct {
		reason string
		err    error
		want   string
		most   int
	}{
		"Said":   {"as it is said", errors.New("no such project"), "no such project", 15},
		"Nobody": {"nobody says why", nil, "it is not created", 17},
		"Long":   {"the beginning of it", errors.New(long), "xxx", mostText + len("…")},
	} {
		if got := problemText(tc.err); !strings.HasPrefix(got, tc.want) || len(got) > tc.most {
			t.Errorf("%s: %s: told are %d bytes: %.40s", name, tc.reason, len(got), got)
		}
	}
}

// Values that are no texts are shown as they are written in JSON, and an empty one is
// no parameter.
func TestParametersOfOtherKinds(t *testing.T) {
	got, cut := flat(generate.Params{"on": true, "n": 3.0, "half": 0.5, "text": "3", "empty": "", "map": map[string]any{}, "list": []any{}, "nested": []any{[]any{"a"}, map[string]any{"b": false}}}, redact.Masker{})
	want := map[string]string{"on": "true", "n": "3", "half": "0.5", "text": "3", "empty": "", "nested.0.0": "a", "nested.1.b": "false"}
	if diff := cmp.Diff(want, got); diff != "" || cut {
		t.Errorf("cut: %t, -want +got:\n%s", cut, diff)
	}
}
