package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/plan"
)

func TestFieldsInChanges(t *testing.T) {
	usual := []plan.Change{
		{Path: "metadata.annotations", New: map[string]any{"b": "c", "example.com/a": "d"}},
		{Path: "spec.template", New: map[string]any{"b": "c"}},
		{Path: "", New: map[string]any{"kind": "X"}},
	}
	if diff := cmp.Diff([]string{"metadata.annotations.b", `metadata.annotations["example.com/a"]`, "spec.template"}, fieldsIn(usual)); diff != "" {
		t.Errorf("usual ones (-want +got):\n%s", diff)
	}
	many, long := map[string]any{}, map[string]any{}
	for i := range 3000 {
		many[fmt.Sprintf("a%04d", i)] = "b"
		long[fmt.Sprintf("%04d%s", i, strings.Repeat("k", 2000))] = "b"
	}
	for name, labels := range map[string]map[string]any{"Many": many, "Long": long} {
		got := fieldsIn([]plan.Change{{Path: "metadata.labels", Old: labels}})
		if last := got[len(got)-1]; len(got) > mostFields+1 || len(strings.Join(got, "")) > mostTold+100 || last != fmt.Sprintf("and %d more", 3001-len(got)) {
			t.Errorf("%s: %d fields are told, the last one is %q", name, len(got), last)
		}
	}
}
