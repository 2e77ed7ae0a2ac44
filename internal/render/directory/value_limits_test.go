package directory

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestFilesOfManyValues: they are errors, also where nobody knows whether they
// are manifests.
func TestFilesOfManyValues(t *testing.T) {
	many := "x: [" + strings.Repeat("{},", 600_000) + "1]\n"
	for name, text := range map[string]string{
		"app/a.yaml":    "apiVersion: v1\nkind: A\nmetadata: {}\n" + many,
		"app/b.yaml":    many,
		"app/c.json":    `{"kind":"A","x":[` + strings.Repeat("{},", 600_000) + "1]}",
		"app/d.jsonnet": `[{kind: "A", metadata: {name: "a"}, x: std.makeArray(500000, function(i) {})}]`,
	} {
		_, err := Renderer{}.Render(t.Context(), sourceOf(t, treetest.Files{name: text}, v1alpha1.ApplicationSourceDirectory{}))
		if err == nil || !strings.Contains(err.Error(), "400000 values") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
