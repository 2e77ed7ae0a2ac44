package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/detector"
)

// tower is a schema of so many levels, each of which asks twice for the next.
func tower(levels int) string {
	next := `{"$ref": "#/definitions/d%d"}`
	var b strings.Builder
	b.WriteString(`{"$ref": "#/definitions/d0", "definitions": {`)
	for i := range levels {
		fmt.Fprintf(&b, `"d%d": {"anyOf": [{"allOf": [`+next+`]}, {"allOf": [`+next+`]}]}, `, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d": {"type": "string"}}}`, levels)
	return b.String()
}

// TestWhatGrows has few lines that libraries make very much of: they cost one render,
// the error says where they are, and the next one has all that it needs.
func TestWhatGrows(t *testing.T) {
	if detector.On {
		t.Skip("the race detector takes more memory than a worker has")
	}
	for name, tc := range map[string]struct {
		reason, path string
		files        treetest.Files
	}{
		"Jsonnet": {"a text that is doubled often", "code", treetest.Files{
			"code/x.jsonnet": "local d(s, n) = if n == 0 then s else d(s + s, n - 1) tailstrict; {a: d('xxxxxxxx', 40)}",
		}},
		"Schema": {"each of forty levels asks twice for the next", "web", treetest.Files{"web/values.schema.json": tower(40)}},
		"Kustomize": {"an object is put into itself", "grown", treetest.Files{
			"grown/kustomization.yaml": "resources: [a.yaml]\nreplacements:\n" +
				strings.Repeat("- source: {kind: Thing, name: a, fieldPath: spec}\n  targets: [{select: {kind: Thing, name: a}, fieldPaths: [spec.k, spec.l], options: {create: true}}]\n", 40),
			"grown/a.yaml": "apiVersion: x.io/v1\nkind: Thing\nmetadata: {name: a}\nspec: {x: y}\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := apartly(t, render.Options{Limits: render.Limits{Time: 10 * time.Minute}}, nil, worker.Limits{Memory: 192 << 20})
			files := monorepo()
			for file, text := range tc.files {
				files = files.With(file, text)
			}
			s := []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}
			_, err := r.Application(t.Context(), render.Input{App: application("grows", at(tc.path)), Snapshots: s})
			if err == nil || !strings.Contains(err.Error(), "needs too much memory (more than 192 MiB) ("+repo+" at 1111111 "+tc.path) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if got, err := r.Application(t.Context(), render.Input{App: application("next", at("overlay")), Snapshots: s}); err != nil || len(got.Manifests) != 1 {
				t.Errorf("the next one: %v, %v", got, err)
			}
		})
	}
}

// TestProgramEnds has a program of Jsonnet that computes for ever, which nothing but its
// worker's end can stop.
func TestProgramEnds(t *testing.T) {
	r := apartly(t, render.Options{Limits: render.Limits{Time: time.Second}}, nil, worker.Limits{})
	files := monorepo().With("code/x.jsonnet", "std.foldl(function(a, b) std.foldl(function(c, d) c + d, std.range(1, 2000), 0), std.range(1, 1000000), 0)")
	in := render.Input{App: application("code", at("code")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}}
	if _, err := r.Application(t.Context(), in); err == nil || !strings.Contains(err.Error(), "did not end within 1s") {
		t.Errorf("got %v", err)
	}
	r.Wait()
}
