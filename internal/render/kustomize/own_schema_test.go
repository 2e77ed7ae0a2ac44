package kustomize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const thing = "apiVersion: x.io/v1\nkind: Thing\nmetadata: {name: a}\nspec: {x: y}\n"

// many is a text with a line for each number.
func many(head, line string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// TestOwnSchemaIsTakenAway builds with a schema, and then without in the same
// process: lists of an unknown kind are replaced again, and not merged.
func TestOwnSchemaIsTakenAway(t *testing.T) {
	for range 2 {
		if _, _, err := (setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\nopenapi: {path: s.json}\n", "app/s.json": `{"definitions": {}}`, "app/a.yaml": thing}}).render(t); err != nil {
			t.Fatal(err)
		}
		files := treetest.Files{
			"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]\nreplacements: []\ncrds: []\nvars: [{name: V, objref: {apiVersion: apps/v1, kind: Deployment, name: a}}]\n",
			"app/a.yaml":             "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a, image: b}]}}}\n",
			"app/p.yaml":             "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c, image: d}]}}}\n",
		}
		out, _, err := (setup{files: files}).render(t)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(out[0].Object.Object); !strings.Contains(text, "image:b") || !strings.Contains(text, "image:d") {
			t.Errorf("containers are not merged by their names: %s", text)
		}
	}
}

// TestPanicIsAnError has a schema that the library panics over, and the next build is as
// if it had not been.
func TestPanicIsAnError(t *testing.T) {
	files := treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\nopenapi: {path: s.json}\n", "app/s.json": "{", "app/a.yaml": thing}
	if _, _, err := (setup{files: files}).render(t); err == nil || !strings.Contains(err.Error(), "the library gave up: invalid schema file") {
		t.Errorf("it ends with %v", err)
	}
	files["app/kustomization.yaml"] = "resources: [a.yaml]\n"
	if out, _, err := (setup{files: files}).render(t); err != nil || len(out) != 1 {
		t.Errorf("the next one: %v, %v", out, err)
	}
}
