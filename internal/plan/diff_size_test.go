package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// below is an object with fields below a key.
func below(key string, fields int, value any) *unstructured.Unstructured {
	all := map[string]any{}
	for i := range fields {
		all[fmt.Sprintf("f%d", i)] = value
	}
	return &unstructured.Unstructured{Object: map[string]any{"kind": "X", "spec": map[string]any{key: all}}}
}

func newDiff(t *testing.T, live, predicted *unstructured.Unstructured) plan.Diff {
	t.Helper()
	d, err := plan.NewDiff(live, predicted)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPathsOfAnObjectAreBounded(t *testing.T) {
	key := strings.Repeat("k", 200<<10)
	if d := newDiff(t, below(key, 9000, "a"), below(key, 9000, "b")); len(d.Changes) != 1 || d.Changes[0].Path != plan.Rest {
		t.Errorf("%d changes have paths of %d bytes", len(d.Changes), d.Paths())
	}
	if d := newDiff(t, below("limits", 9000, "a"), below("limits", 9000, "b")); len(d.Changes) != 9000 || d.Changes[0].Path != "spec.limits.f0" {
		t.Errorf("of usual keys %d changes are told", len(d.Changes))
	}
}

func TestTelling(t *testing.T) {
	key := strings.Repeat("k", 1<<10)
	large := newDiff(t, below(key, 4000, "a"), below(key, 4000, "b"))
	small := newDiff(t, below("limits", 2, "a"), below("limits", 2, "swordfish"))
	var told plan.Telling
	if got := told.Of(small); !slices.EqualFunc(got.Changes, small.Changes, func(a, b plan.Change) bool { return a == b }) {
		t.Errorf("a usual difference becomes %v", got.Changes)
	}
	bytes, brief := 0, 0
	for range 30 {
		got := told.Of(large)
		bytes += got.Paths()
		if got.Empty() {
			t.Fatal("a difference is not told")
		}
		if len(got.Changes) == 1 {
			brief++
		}
	}
	if bytes > 9<<20 || brief == 0 || brief == 30 {
		t.Errorf("%d of 30 are told in brief, the paths have %d bytes", brief, bytes)
	}
	got := told.Of(newDiff(t, below(key, 4000, "a"), below(key, 4000, "swordfish")))
	for range 2 { // with marks it stays one change
		if len(got.Changes) != 1 || got.Changes[0].Path != plan.Rest || got.Empty() {
			t.Fatalf("beyond the bound there are %d changes", len(got.Changes))
		}
		got = got.Without(redact.NewKnown([]string{"swordfish"}))
	}
	if strings.Contains(fmt.Sprint(got.Changes), "swordfish") {
		t.Error("what is secret is told")
	}
	if made := told.Of(newDiff(t, nil, below("limits", 1, "a"))); len(made.Changes) != 1 || made.Changes[0].Old != nil {
		t.Errorf("an object that is made becomes %v", made.Changes)
	}
}

// TestBeside: who shows two objects does not pay for what differs.
func TestBeside(t *testing.T) {
	live, predicted := below("limits", 3, "a"), below("limits", 3, "b")
	beside, err := plan.Beside(live, predicted)
	if err != nil || len(beside.Changes) != 0 {
		t.Fatalf("%v, %v", beside.Changes, err)
	}
	var got, want [2]string
	if got[0], got[1], err = beside.Sides(); err != nil {
		t.Fatal(err)
	}
	if want[0], want[1], err = newDiff(t, live, predicted).Sides(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
