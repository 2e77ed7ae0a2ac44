package directory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestOutputOfAllFiles: files of which each gives little more than it says
// count together, those of Jsonnet by what they evaluate to.
func TestOutputOfAllFiles(t *testing.T) {
	for name, text := range map[string]string{
		"jsonnet": `{apiVersion: 'v1', kind: 'A', metadata: {name: 'a%d'}, x: '` + strings.Repeat("x", 300_000) + `'}`,
		"yaml":    "apiVersion: v1\nkind: A\nmetadata: {name: a%d}\nx: " + strings.Repeat("x", 300_000) + "\n",
		"json":    `{"apiVersion":"v1","kind":"A","metadata":{"name":"a%d"},"x":"` + strings.Repeat("x", 300_000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			files := treetest.Files{}
			for i := range 4 {
				files[fmt.Sprintf("app/%d.%s", i, name)] = fmt.Sprintf(text, i)
			}
			s := program(t, "null", files)
			s.Output = bounded.NewBytes(1 << 20)
			_, err := Renderer{}.Render(t.Context(), s)
			if err == nil || !strings.Contains(err.Error(), "1048576 bytes") || !strings.Contains(err.Error(), "app/3."+name) {
				t.Errorf("got %v", err)
			}
			s = program(t, "null", files)
			s.Output = bounded.NewBytes(2 << 20)
			if got, err := (Renderer{}).Render(t.Context(), s); err != nil || len(got) != 4 {
				t.Errorf("with room: %d objects, %v", len(got), err)
			}
		})
	}
}
