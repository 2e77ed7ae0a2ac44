package directory

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func program(t *testing.T, text string, more treetest.Files) *source.Source {
	t.Helper()
	files := treetest.Files{"app/x.jsonnet": text}
	for name, content := range more {
		files[name] = content
	}
	return &source.Source{
		Tree: record.Wrap(t.Context(), treetest.Snapshot("r", "1", files), record.Limits{}), Path: "app",
		Spec: v1alpha1.ApplicationSource{Directory: &v1alpha1.ApplicationSourceDirectory{Jsonnet: v1alpha1.ApplicationSourceJsonnet{
			Libs: []string{"lib"}, ExtVars: []v1alpha1.JsonnetVar{{Name: "size", Value: "1+1", Code: true}},
		}}},
	}
}

const good = `{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a' + std.extVar('size')}, data: (import 'b.libsonnet') + {raw: importstr 'raw.txt'}}`

var libraries = treetest.Files{"lib/b.libsonnet": "{x: (import 'c.libsonnet').y}", "lib/c.libsonnet": "{y: 'z'}", "app/raw.txt": "text"}

// TestImportsAreShared: a library is read and held once, however many programs import it.
func TestImportsAreShared(t *testing.T) {
	files := treetest.Files{"lib/l.libsonnet": "{} // " + strings.Repeat("x", 300_000)}
	for i := range 4 {
		files[fmt.Sprintf("app/%d.jsonnet", i)] = "if (import 'l.libsonnet') == {} then [] else []"
	}
	s := program(t, "[]", files)
	s.Tree = record.Wrap(t.Context(), treetest.Snapshot("r", "1", files), record.Limits{Bytes: bounded.NewBytes(500_000)})
	if _, err := (Renderer{}).Render(t.Context(), s); err != nil {
		t.Error(err)
	}
}

// TestPrograms are evaluated with what the record reads, and tell lines and imports
// that are missing.
func TestPrograms(t *testing.T) {
	s := program(t, good, libraries)
	objects, err := Renderer{}.Render(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(objects[0].Object.Object); got != "map[apiVersion:v1 data:map[raw:text x:z] kind:ConfigMap metadata:map[name:a2]]" {
		t.Errorf("got %s", got)
	}
	changed := treetest.Files{"app/x.jsonnet": good}
	for name, text := range libraries {
		changed[name] = text
	}
	if !s.Tree.Log("app").Holds(treetest.Snapshot("r", "2", changed)) {
		t.Error("the same files do not hold")
	}
	if s.Tree.Log("app").Holds(treetest.Snapshot("r", "2", changed.With("lib/c.libsonnet", "{y: 1}"))) {
		t.Error("a changed import was not noticed")
	}
	for name, tc := range map[string]struct {
		text, want, where string
	}{
		"Line":    {"{\n a: error 'told' }", "told", "app/x.jsonnet:2"},
		"Missing": {"import 'none'", "cannot find import none", "app/x.jsonnet:1"},
		"Outside": {"import '../../etc/passwd'", "cannot find import", "app/x.jsonnet:1"},
		"Syntax":  {"{", "Unexpected", "app/x.jsonnet:1"},
		"Deep":    {"local f(x) = 1 + f(x + 1);\nf(1)", "max stack frames exceeded", "app/x.jsonnet:1"},
		"Long":    {"local d(s, n) = if n == 0 then s else d(s + s, n - 1) tailstrict;\nerror d('xxxxxxxx', 18)", "xxx…", "app/x.jsonnet:2"},
	} {
		_, err := Renderer{}.Render(t.Context(), program(t, tc.text, nil))
		var p *gitops.Problem
		if !errors.As(err, &p) || !strings.Contains(p.What, tc.want) || p.Where.String() != tc.where || len(p.What) > maxError {
			t.Errorf("%s: got %.200v at %.200v", name, err, p)
		}
	}
}
