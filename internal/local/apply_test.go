package local

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadManifests(t *testing.T) {
	object := func(name string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
	}
	dir := folder(t, map[string]string{
		"b.yaml": object("b1") + "---\n# nothing\n---\n" + object("b2"), "a/z.yml": object("a"), "README.md": "no", "c.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`,
	})
	found, err := readManifests(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range found {
		names = append(names, m.object.GetName())
	}
	if diff := cmp.Diff([]string{"a", "b1", "b2", "c"}, names); diff != "" {
		t.Errorf("files in order of their names: %s", diff)
	}
	if found, err := readManifests(filepath.Join(dir, "b.yaml")); err != nil || len(found) != 2 {
		t.Errorf("a single file: %v, %v", found, err)
	}
}

func TestReadManifestsRefuses(t *testing.T) {
	tests := map[string]struct{ reason, text, want string }{
		"Broken": {reason: "what is broken is told with its file", text: "a: [", want: "x.yaml"},
		"NoKind": {reason: "so is what is no object", text: "a: b\n", want: "lacks apiVersion"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := readManifests(folder(t, map[string]string{"x.yaml": tc.text}))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
