package generate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// readAs reads the fields of a generator as people write them.
func readAs[T any](t *testing.T, text string) T {
	t.Helper()
	var out T
	if err := yaml.UnmarshalStrict([]byte(text), &out); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return out
}

// Which parameters a selector keeps, of any type and however deep, and which selectors are none.
func TestSelectorsOfParameters(t *testing.T) {
	p := Params{"name": "web", "empty": "", "count": float64(3), "ready": true, "nothing": nil, "m": map[string]any{"k": "v", "l": []any{"x"}}, "url": "https://a/?b"}
	for name, tc := range map[string]struct {
		reason, selector string
		keeps            bool
		fails            string
	}{
		"None":        {"nothing is asked", "{}", true, ""},
		"Text":        {"a text", "{matchLabels: {name: web}}", true, ""},
		"Any":         {"any text may be a value", "{matchLabels: {url: 'https://a/?b'}}", true, ""},
		"Other":       {"another one", "{matchLabels: {name: Web}}", false, ""},
		"All":         {"all of them count", "{matchLabels: {name: web, url: x}}", false, ""},
		"Empty":       {"an empty one is one", "{matchLabels: {empty: ''}}", true, ""},
		"NotEmpty":    {"what is not there is not empty", "{matchLabels: {none: ''}}", false, ""},
		"Number":      {"a number as it is written", "{matchLabels: {count: '3'}}", true, ""},
		"Switch":      {"a switch, too", "{matchLabels: {ready: 'true'}}", true, ""},
		"Below":       {"of a map, by its path", "{matchLabels: {m.k: v}}", true, ""},
		"Map":         {"a map itself has no value", "{matchExpressions: [{key: m, operator: Exists}]}", false, ""},
		"Absent":      {"what is not there is none of them", "{matchExpressions: [{key: none, operator: NotIn, values: [x]}]}", true, ""},
		"NotIn":       {"what is there may be", "{matchExpressions: [{key: name, operator: NotIn, values: [web, db]}]}", false, ""},
		"Exists":      {"with any value, also none", "{matchExpressions: [{key: empty, operator: Exists}]}", true, ""},
		"NotThere":    {"without one", "{matchExpressions: [{key: none, operator: DoesNotExist}]}", true, ""},
		"NoValues":    {"one of nothing is none", "{matchExpressions: [{key: name, operator: In}]}", false, `key "name": In needs values`},
		"NotOfNone":   {"nor is none of nothing", "{matchExpressions: [{key: name, operator: NotIn, values: []}]}", false, `key "name": NotIn needs values`},
		"Values":      {"what is there has no values", "{matchExpressions: [{key: name, operator: Exists, values: [x]}]}", false, `key "name": Exists takes no values`},
		"AbsentValue": {"nor has what is not", "{matchExpressions: [{key: name, operator: DoesNotExist, values: [x]}]}", false, `key "name": DoesNotExist takes no values`},
		"Operator":    {"they are written as they are called", "{matchExpressions: [{key: name, operator: in, values: [x]}]}", false, `unknown operator "in", use In, NotIn, Exists or DoesNotExist`},
		"Key":         {"a key is that of a label", "{matchLabels: {'a b': x}}", false, `key "a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			selector := readAs[metav1.LabelSelector](t, tc.selector)
			keep, err := parameterSelector(&selector)
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			got, err2 := (&run{ctx: t.Context()}).chosen([]paramSet{{Params: p}}, keep)
			if err == nil && (err2 != nil || (len(got) == 1) != tc.keeps) {
				t.Errorf("%s: kept %t, %v", tc.reason, !tc.keeps, err2)
			}
		})
	}
}

// The same selector is told in the same words, whatever the order of its parts.
func TestSelectorsInWords(t *testing.T) {
	selector := readAs[metav1.LabelSelector](t, "{matchLabels: {b: x, a: ''}, matchExpressions: [{key: c, operator: NotIn, values: [z, w]}, {key: a, operator: Exists}]}")
	keep, err := parameterSelector(&selector)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := textOfAll(keep), `a Exists, a In [""], b In ["x"], c NotIn ["z" "w"]`; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if keep, err := parameterSelector(nil); err != nil || keep != nil {
		t.Errorf("no selector asks for %v, %v", keep, err)
	}
}

// askedPaths is a forge that has some paths, and notes what it is asked.
type askedPaths struct {
	Forge

	has   map[string]bool
	asked []string
	err   error
}

func (f *askedPaths) HasPath(_ context.Context, _ gitops.HostRepository, path string) (bool, error) {
	f.asked = append(f.asked, path)
	return f.has[path], f.err
}

// A repository is kept by one filter of those that ask about repositories, and a branch by one of
// those that ask about branches, with all that the filter says. A host is asked for paths only
// of branches that the rest keeps: each is a call.
func TestFiltersOfRepositories(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, filters    string
		repository, branch bool
		asked              []string
	}{
		"None":        {"nothing is asked", "[]", true, true, nil},
		"Empty":       {"a filter that says nothing asks nothing", "[{}]", true, true, nil},
		"Within":      {"an expression may match anywhere", "[{repositoryMatch: e}]", true, true, nil},
		"Whole":       {"unless it says where", "[{repositoryMatch: '^e'}]", false, true, nil},
		"Label":       {"one of its labels", "[{labelMatch: '^team-a$'}]", true, true, nil},
		"NoLabel":     {"none of them", "[{labelMatch: '^team$'}]", false, true, nil},
		"Both":        {"all that one filter says", "[{repositoryMatch: web, labelMatch: team-b}]", false, true, nil},
		"OneOf":       {"one filter is enough", "[{repositoryMatch: db}, {labelMatch: team-a}]", true, true, nil},
		"Apart":       {"one of branches keeps no repository", "[{repositoryMatch: db}, {branchMatch: main}]", false, true, nil},
		"Branch":      {"a branch alone says nothing of a repository", "[{branchMatch: main}]", true, true, nil},
		"OtherBranch": {"another branch", "[{branchMatch: '^release/'}]", true, false, nil},
		"Path":        {"a path that is there", "[{pathsExist: [deploy]}]", true, true, []string{"deploy"}},
		"Folder":      {"a slash at its end is none", "[{pathsExist: [deploy/]}]", true, true, []string{"deploy"}},
		"NoPath":      {"all of them", "[{pathsExist: [deploy, charts]}]", true, false, []string{"deploy", "charts"}},
		"Absent":      {"one that must not be there", "[{pathsDoNotExist: [deploy]}]", true, false, []string{"deploy"}},
		"First":       {"the first that is wrong is enough", "[{pathsExist: [charts, deploy], pathsDoNotExist: [old]}]", true, false, []string{"charts"}},
		"BranchFirst": {"of another branch no path is asked for", "[{branchMatch: '^release/', pathsExist: [deploy]}]", true, false, nil},
		"Other":       {"the next filter may keep it", "[{pathsExist: [charts]}, {branchMatch: main}]", true, true, []string{"charts"}},
	} {
		t.Run(name, func(t *testing.T) {
			filters, err := readRepoFilters(readAs[[]v1alpha1.SCMProviderGeneratorFilter](t, tc.filters), bounded.NewMatching(mostMatching))
			if err != nil {
				t.Fatal(err)
			}
			forge := &askedPaths{has: map[string]bool{"deploy": true}}
			web := gitops.HostRepository{Repository: "web", Branch: "main", Labels: []string{"go", "team-a"}}
			if kept, err := filters.keepRepository(web); err != nil || kept != tc.repository {
				t.Errorf("%s: the repository is kept %t, %v", tc.reason, kept, err)
			}
			if kept, err := filters.keepBranch(t.Context(), forge, web); err != nil || kept != tc.branch {
				t.Errorf("%s: the branch is kept %t, %v", tc.reason, kept, err)
			}
			if diff := cmp.Diff(tc.asked, forge.asked); diff != "" {
				t.Errorf("%s: the host was asked (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// A host that cannot tell whether a path is there keeps nothing, and leaves nothing out.
func TestPathsThatCannotBeAsked(t *testing.T) {
	down := errors.New("it does not answer")
	for _, text := range []string{"[{pathsExist: [a]}]", "[{pathsDoNotExist: [a]}]", "[{pathsExist: [a]}, {branchMatch: main}]"} {
		filters, err := readRepoFilters(readAs[[]v1alpha1.SCMProviderGeneratorFilter](t, text), bounded.NewMatching(mostMatching))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := filters.keepBranch(t.Context(), &askedPaths{err: down}, gitops.HostRepository{Branch: "main"}); !errors.Is(err, down) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestFiltersOfPullRequests(t *testing.T) {
	pull := gitops.PullRequest{Branch: "feature/a", TargetBranch: "main", Title: "feat: more"}
	for name, tc := range map[string]struct {
		reason, filters string
		keeps           bool
		fails           string
	}{
		"None":   {"nothing is asked", "[]", true, ""},
		"Empty":  {"a filter that says nothing keeps all", "[{}]", true, ""},
		"Branch": {"the branch that it comes from", "[{branchMatch: '^feature/'}]", true, ""},
		"Target": {"and not the one that it goes to", "[{branchMatch: main}]", false, ""},
		"Goes":   {"which is asked for by its own name", "[{targetBranchMatch: '^main$'}]", true, ""},
		"Title":  {"what it is called", "[{titleMatch: '^fix'}]", false, ""},
		"All":    {"all that a filter says", "[{branchMatch: feature, titleMatch: fix}]", false, ""},
		"OneOf":  {"one filter is enough", "[{titleMatch: fix}, {targetBranchMatch: main}]", true, ""},
		"Broken": {"an expression that is none is told by its field", "[{titleMatch: '('}]", false, "cannot read titleMatch of a filter"},
		"Later":  {"wherever it is", "[{}, {targetBranchMatch: '['}]", false, "cannot read targetBranchMatch of a filter"},
	} {
		t.Run(name, func(t *testing.T) {
			filters, err := readPullFilters(readAs[[]v1alpha1.PullRequestGeneratorFilter](t, tc.filters))
			if (err != nil) != (tc.fails != "") || err != nil && (!strings.Contains(err.Error(), tc.fails) || !gitops.IsProblem(err, gitops.Invalid)) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if kept, err2 := keepsPull(bounded.NewMatching(mostMatching), filters, pull); err == nil && (err2 != nil || kept != tc.keeps) {
				t.Errorf("%s: kept %t, %v", tc.reason, kept, err2)
			}
		})
	}
}

// Merge keys tell values apart by their type, and by where one ends and the next begins.
func TestMergeKeysTellValuesApart(t *testing.T) {
	values := []Params{
		{}, {"a": "null"}, {"a": ""}, {"a": "1"}, {"a": float64(1)}, {"a": true}, {"a": "true"}, {"a": "x", "b": "y"}, {"a": "xy"}, {"b": "xy"}, {"a": "xt1 y"},
		{"a": []any{"x"}}, {"a": `["x"]`}, {"a": map[string]any{"k": "v"}}, {"a": "x", "b": ""}, {"a": "j", "b": nil},
		{"a": "x", "b": "ty"}, {"a": "xt", "b": "y"}, {"a": "xy", "b": ""},
	}
	sets := make([]paramSet, 0, len(values))
	for _, p := range values {
		sets = append(sets, paramSet{Params: p})
	}
	r := newRun(t.Context(), testGenerator(), specSet(t, fast("generators: []")))
	keyed, err := r.byMergeKey(sets, []string{"a", "b"})
	if err != nil || len(keyed) != len(sets) {
		t.Errorf("%d of %d are told apart: %v", len(keyed), len(sets), err)
	}
	for name, tc := range map[string]struct {
		reason string
		a, b   Params
	}{
		"Null":  {"what is not there is nothing", Params{"b": "x"}, Params{"a": nil, "b": "x"}},
		"Order": {"maps have no order", Params{"a": map[string]any{"x": "1", "y": "2"}}, Params{"a": map[string]any{"y": "2", "x": "1"}}},
		"Other": {"others do not count", Params{"a": "x", "c": "1"}, Params{"a": "x", "c": "2"}},
	} {
		if _, err := r.byMergeKey([]paramSet{{Params: tc.a}, {Params: tc.b}}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "make them unique") {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
}
