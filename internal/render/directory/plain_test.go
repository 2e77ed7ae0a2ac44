package directory

import (
	"errors"
	"fmt"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestPlain: of a source that is to be plain no library reads anything.
func TestPlain(t *testing.T) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {b: c}}\n"
	many := treetest.Files{}
	for i := range mostPlainFiles + 1 {
		many[fmt.Sprintf("app/%d.yaml", i)] = object
	}
	for name, tc := range map[string]struct {
		reason string
		files  treetest.Files
		plain  bool
	}{
		"Plain":   {"what people write", treetest.Files{"app/a.yaml": object + "---\n" + object, "app/b.yml": "# nothing\n", "app/c.txt": "&a"}, true},
		"Anchor":  {"aliases", treetest.Files{"app/a.yaml": object + "data: &a {b: c}\n"}, false},
		"Folded":  {"texts that go on", treetest.Files{"app/a.yaml": object + "data:\n  a: >\n    b\n"}, false},
		"JSON":    {"another format", treetest.Files{"app/a.json": "{}"}, false},
		"Jsonnet": {"a program", treetest.Files{"app/a.jsonnet": "{}"}, false},
		"List":    {"objects in an object", treetest.Files{"app/a.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n"}, false},
		"Broken":  {"what a library says is wrong", treetest.Files{"app/a.yaml": object + "data: [\n"}, false},
		"Values":  {"what is no object", treetest.Files{"app/a.yaml": "a: b\n"}, false},
		"Many":    {"many files", many, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, tc.files, v1alpha1.ApplicationSourceDirectory{})
			s.Plain = true
			_, err := Renderer{}.Render(t.Context(), s)
			if tc.plain && err != nil || !tc.plain && !errors.Is(err, source.ErrNotPlain) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
