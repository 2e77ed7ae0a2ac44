package bridge

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestSettersAreTheLastToWrite(t *testing.T) {
	early, late := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0))
	fields := []metav1.ManagedFieldsEntry{
		{Manager: "terraform", Time: &early, FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{".":{},"f:environment":{}},"f:annotations":{"f:a.b/region":{}}}}`)},
		{Manager: "kubectl", Time: &late, FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:environment":{}}}}`)},
		{Manager: "status", Subresource: "status", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:environment":{}}}}`)},
		{Manager: "broken", FieldsV1: metav1.NewFieldsV1(`{`)},
	}
	want := map[Key]Setter{
		{Label, "environment"}:     {Manager: "kubectl", Time: late.Time},
		{Annotation, "a.b/region"}: {Manager: "terraform", Time: early.Time},
	}
	if d := cmp.Diff(want, Setters(fields)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if got := Holders(fields)[Key{Label, "environment"}]; len(got) != 2 {
		t.Errorf("the holders are %v, want both managers", got)
	}
}

func TestOtherValuesKeepTheirType(t *testing.T) {
	for _, value := range []string{"true", "false", "0", "-3", "999999999999999999", "1.5", "10.0.0.0/16", "198.18.0.0/15", "https://git.example.com/a?b=c", "arn:aws:iam::123456789012:role/x", `{"a":["b",1,true]}`, "eu-west-1", ""} {
		got := Instead(value)
		if got == value || GuessType(got) != GuessType(value) && value != "" {
			t.Errorf("instead of %q (%s) there is %q (%s)", value, GuessType(value), got, GuessType(got))
		}
	}
}

// What means the same as before follows nothing, and what is no longer of its type
// breaks the templates that read it: either hides what follows from a key.
func TestOtherValuesMeanSomethingElse(t *testing.T) {
	cases := map[string]struct{ reason, value, want string }{
		"Large":      {"one more is the same number", "100000000000000000000", "50000000000000000000"},
		"Exponent":   {"one more is the same number", "1e20", "50000000000000000000"},
		"InJSON":     {"a number within is as large", `{"n":1e20}`, `{"n":50000000000000000000}`},
		"EmptyMap":   {"there is nothing to change", `{}`, `{"cwmark":"cwmark"}`},
		"EmptyList":  {"blanks are no difference", `[ ]`, `["cwmark"]`},
		"Null":       {"nothing stays nothing", `{"a":null}`, `{"a":null,"cwmark":"cwmark"}`},
		"NullInList": {"nothing stays nothing", `[null]`, `[null,"cwmark"]`},
		"Scalars":    {"all of them change", `{"a":[true,1,"x",""]}`, `{"a":[false,2,"x-cwmark","cwmark"]}`},
		"Below":      {"no integer of 32 bits overflows", "2147483647", "2147483646"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Instead(tc.value); got != tc.want {
				t.Errorf("%s: instead of %s there is %s, want %s", tc.reason, tc.value, got, tc.want)
			}
		})
	}
}

func TestPathsAreReadAsTheyAreWritten(t *testing.T) {
	tree := map[string]any{"spec": map[string]any{"a.b/c": []any{map[string]any{"x": "old"}}}, "data": map[string]any{"f.yaml": "k: 1\nl: 2\n"}}
	changed := map[string]any{"spec": map[string]any{"a.b/c": []any{map[string]any{"x": "new"}}}, "data": map[string]any{"f.yaml": "k: 1\nl: 3\n"}}
	got := differences(tree, changed)
	want := []FieldChange{{`data["f.yaml"] → l`, float64(2), float64(3)}, {`spec["a.b/c"][0].x`, "old", "new"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("-want +got:\n%s", d)
	}
	if value, ok := valueAt(tree, got[1].Path); !ok || value != "old" {
		t.Errorf("at %s is %v", got[1].Path, value)
	}
}

// fakeStages gives Applications by a function of the clusters.
type fakeStages struct {
	expand func([]gitops.Cluster) (*generate.Expansion, error)
}

func (f fakeStages) Expand(_ context.Context, _ *v1alpha1.ApplicationSet, c []gitops.Cluster) (*generate.Expansion, error) {
	return f.expand(c)
}

func (f fakeStages) Render(context.Context, *v1alpha1.Application) (*gitops.Rendering, error) {
	return nil, errors.New("nothing is to be rendered")
}

func TestAKeyThatIsFetchedByIsNotRendered(t *testing.T) {
	stages := fakeStages{expand: func(c []gitops.Cluster) (*generate.Expansion, error) {
		app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
		app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/a", TargetRevision: c[0].Annotations["revision"]}
		return &generate.Expansion{
			Applications: []v1alpha1.Application{app}, Of: []*generate.Origin{generate.OriginOf(&c[0])},
			Reads: generate.Reads{Clusters: true, Keys: []string{"metadata.annotations.revision", "name"}},
		}, nil
	}}
	clusters := []Cluster{{Cluster: gitops.Cluster{Name: "prod", Secret: "prod", Annotations: map[string]string{"revision": "v1"}}}}
	expansion, _ := stages.expand([]gitops.Cluster{clusters[0].Cluster})
	f := Fleet{Clusters: clusters, Stages: stages, Sets: []Set{{ApplicationSet: &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "set"}}, Expansion: expansion}}}
	trace, err := TraceKey(t.Context(), f, "prod", Key{Annotation, "revision"})
	if err != nil {
		t.Fatal(err)
	}
	want := []AppTrace{{
		Application: "web", Effect: "changed", Note: "spec.source.targetRevision says what is fetched: all objects may follow",
		Parameters: []FieldChange{{"spec.source.targetRevision", "v1", "v1-cwmark"}},
	}}
	if len(trace.Readers) != 1 {
		t.Fatalf("%d readers", len(trace.Readers))
	}
	if d := cmp.Diff(want, trace.Readers[0].Follow); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func FuzzSteps(f *testing.F) {
	f.Add(`spec["a.b"][0].x`)
	f.Add(`a["`)
	f.Fuzz(func(_ *testing.T, path string) {
		valueAt(map[string]any{"a": []any{"b"}}, path)
		Instead(path)
	})
}
