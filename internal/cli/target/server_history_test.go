package target

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestObjectDiffOfEqualSides: an object that is as it is wanted has two sides, too.
func TestObjectDiffOfEqualSides(t *testing.T) {
	text := "kind: ConfigMap\nmetadata: {name: a}\n"
	out, err := ObjectDiff(&api.Difference{Ref: api.Ref{Kind: "ConfigMap", Name: "a"}, Live: text, Desired: text})
	if err != nil {
		t.Fatal(err)
	}
	live, desired, err := out.Diff.Sides()
	if err != nil || live == "" || live != desired {
		t.Errorf("live %q, desired %q: %v", live, desired, err)
	}
}
