package generate

import (
	"slices"
	"strings"
	"testing"
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
	cases := map[string]struct {
		reason, spec string
		warned       string
	}{
		"Template": {"a template that cannot be rendered", replaced(goMode(clusters), "{{.app}}", "{{ fail \"x\" }}"), "vault-1"},
		"Values":   {"values that cannot", goMode(values), "vault-1"},
		"Outer":    {"a generator that cannot", goMode(outer), "vault-1"},
		"Merge":    {"sets that cannot be told apart", goMode(merged), "app"},
		"Names":    {"Applications of one name", replaced(fast(clusters), "{{app}}", "same", "{{v}}", "v"), "vault-1"},
		"Missing":  {"parameters that are missing", replaced(fast(clusters), "{{app}}", "{{nameNormalized}}", "{{v}}", "{{metadata.labels.region}}"), "vault-1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, err := New(fleet, fakeRepos{}, anyProject{}).Applications(t.Context(), specSet(t, tc.spec))
			told := []string{e.Unresolved}
			if err != nil {
				told = append(told, err.Error())
			}
			for _, r := range e.Rejected {
				told = append(told, r.Err.Error())
			}
			names := false
			for _, w := range e.Warnings {
				names = names || strings.Contains(w.Message, tc.warned)
				told = append(told, w.Bare)
				if w.Bare == "" || !w.Fleet && len(w.Clusters) == 0 {
					t.Errorf("%s: it is not known whom a warning names: %+v", tc.reason, w)
				}
			}
			if !names || slices.Equal(told, []string{""}) {
				t.Errorf("%s: nobody is told which: %+v", tc.reason, e.Warnings)
			}
			if text := strings.Join(told, "\n"); strings.Contains(text, "vault") {
				t.Errorf("%s: who reads the set is told %s", tc.reason, text)
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
	spec := replaced(goMode("generators: [{list: {elements: [{app: a, v: mine}]}}]"), "{{.app}}", "{{ fail \"x\" }}")
	_, err := testGenerator().Applications(t.Context(), specSet(t, spec))
	if err == nil || !strings.Contains(err.Error(), `v="mine"`) {
		t.Errorf("the error is %v", err)
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
