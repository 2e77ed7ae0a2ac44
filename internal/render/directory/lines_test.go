package directory

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/document"
)

// TestLinesOfALargeList: a plain list may have more values than the library may read for its lines.
func TestLinesOfALargeList(t *testing.T) {
	list := "kind: List\nitems:\n- kind: A\n- kind: B\n"
	if got := itemLines(document.Split([]byte(list)), 1); len(got) != 2 {
		t.Errorf("a small list has lines %v", got)
	}
	if got := itemLines(document.Split([]byte(list+strings.Repeat("- a:\n", bounded.MostValues/2))), 1); got != nil {
		t.Errorf("a large one has %d lines", len(got))
	}
	if !artifact([]byte(`{"schemaVersion": 2, "layers": [1]}`)) || artifact([]byte(`{"schemaVersion": 2, "layers": [1`+strings.Repeat(",1", bounded.MostValues)+`]}`)) {
		t.Error("a small artifact is one, and a large one is read as an object")
	}
}
