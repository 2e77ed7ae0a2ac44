package why

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
)

// charts are the values of two sources that share a path.
func charts() []render.SourceValues {
	value := func(last any, path ...string) gitops.Value {
		return gitops.Value{Path: path, Layers: []gitops.Layer{{Kind: gitops.LayerChart, Name: "shop", Value: "none"}, {Kind: gitops.LayerValues, Value: last}}}
	}
	return []render.SourceValues{
		{Source: 0, Values: []gitops.Value{value("1.2.3", "image", "tag"), value("x", "imagery"), value("hunter2", "db", "password")}}, {Source: 2, Values: []gitops.Value{value(int64(3), "image")}},
	}
}

// TestValuesOfAPath: what is there, what is below it, and what it leads into, but nothing that only begins with the same letters.
func TestValuesOfAPath(t *testing.T) {
	type at struct {
		Source int
		Path   string
		Value  any
	}
	cases := map[string]struct {
		reason, path string
		want         []at
	}{
		"all":    {"no path is every path", "", []at{{0, "image.tag", "1.2.3"}, {0, "imagery", "x"}, {0, "db.password", redact.Mask}, {2, "image", int64(3)}}},
		"same":   {"of each source that has it, and what is below", "image", []at{{0, "image.tag", "1.2.3"}, {2, "image", int64(3)}}},
		"below":  {"a value of another source leads there", "image.tag", []at{{0, "image.tag", "1.2.3"}, {2, "image", int64(3)}}},
		"into":   {"a path may lead into a value", "imagery.a.b", []at{{0, "imagery", "x"}}},
		"secret": {"what counts is masked", "db", []at{{0, "db.password", redact.Mask}}},
		"begins": {"a part of a word is none", "imag", nil},
	}
	for name, c := range cases {
		var got []at
		for _, e := range explain(valuesOf{charts(), redact.Masker{}}, c.path) {
			got = append(got, at{e.Source, e.Path, e.Value})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s: %s", name, c.reason, diff)
		}
	}
}

// TestVersionsAreComparedUnmasked: two passwords look the same where they are masked. What no layer sets says nothing.
func TestVersionsAreComparedUnmasked(t *testing.T) {
	all := append(charts(), render.SourceValues{Values: []gitops.Value{{Path: []string{"db", "unset"}}}})
	if diff := cmp.Diff([]any{"db.password", "hunter2"}, compared(all, "db")); diff != "" {
		t.Error(diff)
	}
}

// TestWhyThereIsNoValue: no chart, none that has values, or another name.
func TestWhyThereIsNoValue(t *testing.T) {
	cases := map[string]struct {
		reason, path string
		found        []render.SourceValues
		want         string
	}{
		"no chart": {"nothing of it is Helm", "a", nil, "application shop has no values: none of its sources is a Helm chart"},
		"empty":    {"a chart without values", "", []render.SourceValues{{}}, "the charts of application shop have no values"},
		"misspelt": {"the nearest of any source", "imagry", charts(), `the charts of application shop have no value imagry; did you mean "imagery"?`},
		"far":      {"nothing is near", "completely.other", charts(), "the charts of application shop have no value completely.other"},
	}
	for name, c := range cases {
		if got := nothing(c.found, "shop", c.path); got.Error() != c.want {
			t.Errorf("%s: %s: %v", name, c.reason, got)
		}
	}
}

// TestLayersAreListedFromTheOneThatCounts, which alone bears the path; those that it covers stand in brackets.
func TestLayersAreListedFromTheOneThatCounts(t *testing.T) {
	layer := func(kind gitops.LayerKind, name, where string, value any) explainedFrom {
		return explainedFrom{Kind: string(kind), Name: name, Where: where, Value: value}
	}
	all := []explained{
		{Path: "tag", Value: "e", Layers: []explainedFrom{
			layer(gitops.LayerChart, "shop", "values.yaml:1", "a"), layer(gitops.LayerValueFile, "prod.yaml", "prod.yaml:3", map[string]any{"b": 1}),
			layer(gitops.LayerValues, "x", "", nil), layer(gitops.LayerParameter, "tag", "", "d"), layer(gitops.LayerFileParameter, "tag", "", "e"),
		}},
		{Path: "size", Value: 1, Layers: []explainedFrom{layer(gitops.LayerChart, "", "", 1)}},
	}
	want := [][]string{
		{"tag", "e", "file parameter tag", "-"}, {"", "(d)", "parameter tag", "-"}, {"", "(null)", "values of the Application", "-"},
		{"", `({"b":1})`, "value file", "prod.yaml:3"}, {"", "(a)", "chart shop", "values.yaml:1"}, {"size", "1", "chart", "-"},
	}
	if diff := cmp.Diff(want, valuesTable(all, table.AsTable).Rows); diff != "" {
		t.Error(diff)
	}
}

// TestValuesOfSecretsAreMasked also where only a Secret tells; where none can be rendered, names still do.
func TestValuesOfSecretsAreMasked(t *testing.T) {
	secret := gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"entry": "swordfish-of-the-sea"}}}}
	values := []render.SourceValues{{Values: []gitops.Value{
		{Path: []string{"plain"}, Layers: []gitops.Layer{{Value: "swordfish-of-the-sea"}}}, {Path: []string{"password"}, Layers: []gitops.Layer{{Value: "hunter2"}}},
	}}}
	for reason, c := range map[string]struct {
		err  error
		want []any
	}{
		"a Secret holds it":       {nil, []any{redact.Mask, redact.Mask}},
		"no Secret could be made": {errors.New("it is broken"), []any{"swordfish-of-the-sea", redact.Mask}},
	} {
		var got []any
		for _, e := range explain(masked(values, &gitops.Rendering{Manifests: []gitops.Manifest{secret}}, c.err), "") {
			got = append(got, e.Value)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", reason, diff)
		}
	}
}
