package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const aConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"

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
		"NoName": {reason: "an object is applied by its name", text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}\n", want: "metadata.name"},
		"Number": {reason: "a name is a text", text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 1}\n", want: "metadata.name"},
		"List":   {reason: "a document is one object", text: "[{apiVersion: v1}]\n", want: "x.yaml"},
		"Later":  {reason: "one broken document is enough", text: aConfigMap + "---\na: b\n", want: "lacks apiVersion"},
		"Large":  {reason: "a person writes less", text: aConfigMap + "#" + strings.Repeat("x", maxFile), want: "more than 4 MiB"},
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

// TestManifestsByALink: a link that a person names is meant; one that lies in a
// folder may lead out of a checkout.
func TestManifestsByALink(t *testing.T) {
	dir := folder(t, map[string]string{"boot/a.yaml": aConfigMap, "boot/b.yaml": aConfigMap, "outside.yaml": aConfigMap})
	for link, to := range map[string]string{"file.yaml": "outside.yaml", "folder": "boot", "boot/c.yaml": "../outside.yaml", "boot/d": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"file.yaml": 1, "folder": 2, "boot": 2} {
		if found, err := readManifests(filepath.Join(dir, name)); err != nil || len(found) != want {
			t.Errorf("%s has %d objects, %v", name, len(found), err)
		}
	}
	if _, err := readManifests(filepath.Join(dir, "gone")); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("what is not there says %v", err)
	}
}

// TestOnlyWhatAPersonWritesIsApplied: an object as a server gave it can be applied.
func TestOnlyWhatAPersonWritesIsApplied(t *testing.T) {
	given := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "x", "resourceVersion": "7", "managedFields": []any{map[string]any{}}, "labels": map[string]any{"a": "b"}},
		"spec":     map[string]any{"status": "kept"}, "status": map[string]any{"phase": "Active"},
	}}
	before := given.DeepCopy()
	want := map[string]any{"metadata": map[string]any{"name": "x", "labels": map[string]any{"a": "b"}}, "spec": map[string]any{"status": "kept"}}
	if diff := cmp.Diff(want, clean(given).Object); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, given); diff != "" {
		t.Errorf("what was read is applied again when another file changes: %s", diff)
	}
}
