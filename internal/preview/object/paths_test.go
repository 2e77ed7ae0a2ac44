package object

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestLongKeysAreNotRepeated has objects, and a definition, whose keys are as long as who writes them likes: what is told
// of all fields below one does not repeat it.
func TestLongKeysAreNotRepeated(t *testing.T) {
	key := strings.Repeat("k", 200<<10)
	entries := map[string]any{}
	for i := range 4000 {
		entries[fmt.Sprintf("a%d", i)] = map[string]any{"type": "string"}
	}
	manifest := func(kind string, spec map[string]any) []gitops.Manifest {
		return []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": "x"}, "spec": spec,
		}}}}
	}
	schema := func(below map[string]any) map[string]any {
		return map[string]any{"versions": []any{map[string]any{"name": "v1", "served": true, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"properties": map[string]any{key: map[string]any{"properties": below}}},
		}}}}
	}
	for name, tc := range map[string]struct{ before, after []gitops.Manifest }{
		"Fields":     {manifest("X", map[string]any{key: map[string]any{}}), manifest("X", map[string]any{key: entries})},
		"Definition": {manifest("CustomResourceDefinition", schema(entries)), manifest("CustomResourceDefinition", schema(map[string]any{}))},
	} {
		t.Run(name, func(t *testing.T) {
			c := Compare(tc.before, tc.after, Options{})
			told := 0
			for _, o := range c.Objects {
				for _, f := range o.Fields {
					told += len(f.Path)
				}
			}
			for _, r := range c.Risks {
				told += len(r.Message)
			}
			if told == 0 || told > 128<<10 {
				t.Errorf("what is told has %d bytes", told)
			}
		})
	}
}

// TestPathsOfAllObjectsAreBounded has many objects, each with as much as is told of one: all are told, with how many
// fields are left out.
func TestPathsOfAllObjectsAreBounded(t *testing.T) {
	const objects, fields = 600, 80
	side := func(value string) []gitops.Manifest {
		below := map[string]any{}
		for i := range fields {
			below[fmt.Sprintf("f%d", i)] = value
		}
		var out []gitops.Manifest
		key := strings.Repeat("k", 100)
		for i := range objects {
			out = append(out, gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "X", "metadata": map[string]any{"name": fmt.Sprintf("x%d", i)},
				"spec": map[string]any{key: map[string]any{key: map[string]any{key: map[string]any{key: below}}}},
			}}})
		}
		return out
	}
	c := Compare(side("a"), side("b"), Options{})
	told, paths := 0, 0
	for _, o := range c.Objects {
		told += len(o.Fields) + o.Omitted
		for _, f := range o.Fields {
			paths += len(f.Path)
		}
	}
	if len(c.Objects) != objects || told != objects*fields || paths > maxAllPaths || paths < maxAllPaths/2 {
		t.Errorf("%d objects with %d fields are told, with paths of %d bytes", len(c.Objects), told, paths)
	}
}
