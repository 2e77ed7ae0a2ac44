package directory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// named are the objects as Kind/name, and the error, which names the file and what to do.
func named(t *testing.T, s *source.Source) ([]string, string) {
	t.Helper()
	got, err := Renderer{}.Render(t.Context(), s)
	if err != nil {
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Fix == "" || p.Where.RepoURL == "" && p.Where.File == "" {
			t.Errorf("it is not said where it is, and what to do: %v", err)
		}
		return nil, err.Error()
	}
	var out []string
	for _, m := range got {
		out = append(out, m.Object.GetKind()+"/"+m.Object.GetName())
	}
	return out, ""
}

// What a program evaluates to are objects, or it is an error: a value that is nothing of
// Kubernetes deploys nothing, and nobody would see that.
func TestWhatProgramsEvaluateTo(t *testing.T) {
	const a, b = `{kind: 'A', metadata: {name: 'a'}}`, `{kind: 'B', metadata: {name: 'b'}}`
	for name, tc := range map[string]struct {
		reason, text string
		want         []string
		fails        string
	}{
		"Object":  {"one object", a, []string{"A/a"}, ""},
		"Array":   {"several, in their order", `[` + b + `, ` + a + `]`, []string{"B/b", "A/a"}, ""},
		"List":    {"a list is opened", `{kind: 'List', items: [` + a + `, ` + b + `]}`, []string{"A/a", "B/b"}, ""},
		"ListOf":  {"also within an array", `[{kind: 'List', items: [` + b + `]}, ` + a + `]`, []string{"B/b", "A/a"}, ""},
		"Hidden":  {"what is hidden is not there", `[` + a + `] + (if {h:: 1} == {} then [] else [` + b + `])`, []string{"A/a"}, ""},
		"Nothing": {"a program may have nothing to say", `if false then ` + a, nil, ""},
		"Empty":   {"for a cluster that needs none", `[]`, nil, ""},
		"Text":    {"a text is no object", `'kind: A'`, nil, "it evaluates to something else than Kubernetes objects"},
		"Number":  {"nor is a number", `7`, nil, "it evaluates to something else than Kubernetes objects"},
		"Nested":  {"nor are arrays within one", `[[` + a + `]]`, nil, "it evaluates to something else than Kubernetes objects"},
		"Values":  {"nor is a mapping without a kind", `[` + a + `, {replicas: 2}]`, nil, "it evaluates to something else than Kubernetes objects"},
		"Item":    {"each item of a list is one", `{kind: 'List', items: [1]}`, nil, "item 0 of the List is no object"},
		"Call":    {"a function needs its arguments", `function(name) {kind: name}`, nil, "cannot evaluate Jsonnet file app/x.jsonnet"},
	} {
		t.Run(name, func(t *testing.T) {
			got, told := named(t, program(t, tc.text, nil))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			if (told == "") != (tc.fails == "") || !strings.Contains(told, tc.fails) {
				t.Errorf("%s: got %q, want %q", tc.reason, told, tc.fails)
			}
		})
	}
}

// An import is looked for beside the file that has it, then in the folder of the source,
// then in the library folders in their order, and never outside of the repository.
func TestWhereImportsAreFound(t *testing.T) {
	object := func(name string) string { return "{kind: 'A', metadata: {name: '" + name + "'}}" }
	files := treetest.Files{
		"app/sub/x.jsonnet": "import 'l.libsonnet'", "app/sub/l.libsonnet": object("beside"), "app/l.libsonnet": object("folder"),
		"first/l.libsonnet": object("first"), "second/l.libsonnet": object("second"),
	}
	without := func(names ...string) treetest.Files {
		out := treetest.Files{}.With("app/sub/x.jsonnet", files["app/sub/x.jsonnet"])
		for name, text := range files {
			out[name] = text
		}
		for _, name := range names {
			delete(out, name)
		}
		return out
	}
	both := []string{"first", "second"}
	for name, tc := range map[string]struct {
		reason string
		files  treetest.Files
		libs   []string
		want   string
		fails  string
	}{
		"Beside":   {"the nearest one", files, both, "A/beside", ""},
		"Folder":   {"that of the source", without("app/sub/l.libsonnet"), both, "A/folder", ""},
		"First":    {"the first library", without("app/sub/l.libsonnet", "app/l.libsonnet"), both, "A/first", ""},
		"Order":    {"as they are listed", without("app/sub/l.libsonnet", "app/l.libsonnet"), []string{"second", "first"}, "A/second", ""},
		"Root":     {"a slash is the root of the repository", without("app/sub/l.libsonnet", "app/l.libsonnet"), []string{"/second"}, "A/second", ""},
		"Gone":     {"a library that is not there has nothing", without("app/sub/l.libsonnet", "app/l.libsonnet"), []string{"none", "second"}, "A/second", ""},
		"Nowhere":  {"none has it", without("app/sub/l.libsonnet", "app/l.libsonnet"), nil, "", "cannot find import l.libsonnet beside app/sub/x.jsonnet or in the library folders inside the repository"},
		"Outside":  {"a library of the machine", files, []string{"../../etc"}, "", "cannot use Jsonnet library folder ../../etc: it is outside the repository"},
		"Absolute": {"a file of the machine is one of the repository, which lacks", files.With("app/sub/x.jsonnet", "importstr '/etc/passwd'"), nil, "", "cannot find import /etc/passwd"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.ApplicationSourceDirectory{Recurse: true, Jsonnet: v1alpha1.ApplicationSourceJsonnet{Libs: tc.libs}}
			got, told := named(t, sourceOf(t, tc.files, spec))
			if strings.Join(got, " ") != tc.want || (told == "") != (tc.fails == "") || !strings.Contains(told, tc.fails) {
				t.Errorf("%s: got %q, %q; want %s", tc.reason, got, told, tc.want)
			}
		})
	}
}

// An import that is there and leads out of the repository is told as that, and not as one
// that is missing: another library folder must not take its place.
func TestImportsThatLeadOut(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"app/x.jsonnet": "import 'l.libsonnet'", "lib/l.libsonnet": "{kind: 'A'}"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../outside", filepath.Join(dir, "app/l.libsonnet")); err != nil {
		t.Fatal(err)
	}
	snapshot, err := treetest.Folder("r", "1", dir)
	if err != nil {
		t.Fatal(err)
	}
	s := program(t, "", nil)
	s.Tree = record.Wrap(t.Context(), snapshot, record.Limits{})
	_, err = Renderer{}.Render(t.Context(), s)
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Where.File != "app/l.libsonnet" || !strings.Contains(p.What, "cannot read import app/l.libsonnet") {
		t.Errorf("got %v", err)
	}
}

// Variables are filled in once for all programs, and too large ones are told before anything
// is evaluated. Files that are no programs need none.
func TestVariablesOfPrograms(t *testing.T) {
	long := environ.Text(strings.Repeat("x", 600_000))
	for name, tc := range map[string]struct {
		reason        string
		file          string
		external, top string
		fails         string
	}{
		"Fine":     {"they fit", "x.jsonnet", "$LONG", "", ""},
		"External": {"an external one does not", "x.jsonnet", "$LONG$LONG", "", "cannot fill in the build environment"},
		"Argument": {"nor does an argument", "x.jsonnet", "", "$LONG$LONG", "cannot fill in the build environment"},
		"Plain":    {"nobody asks for them", "x.yaml", "$LONG$LONG", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, treetest.Files{"app/" + tc.file: "{kind: A, metadata: {name: a}}"}, v1alpha1.ApplicationSourceDirectory{})
			if strings.HasSuffix(tc.file, ".jsonnet") {
				s = sourceOf(t, treetest.Files{"app/" + tc.file: "function(t='') {kind: 'A', metadata: {name: 'a'}}"}, v1alpha1.ApplicationSourceDirectory{})
			}
			s.Env = environ.Env{"LONG": long}
			vars := func(value string) []v1alpha1.JsonnetVar {
				if value == "" {
					return nil
				}
				return []v1alpha1.JsonnetVar{{Name: "t", Value: value}}
			}
			s.Spec.Directory.Jsonnet = v1alpha1.ApplicationSourceJsonnet{ExtVars: vars(tc.external), TLAs: vars(tc.top)}
			got, told := named(t, s)
			if (told == "") != (tc.fails == "") || !strings.Contains(told, tc.fails) || tc.fails == "" && len(got) != 1 {
				t.Errorf("%s: got %q, %q", tc.reason, got, told)
			}
		})
	}
}

// A file may say without end why it cannot be evaluated: of that, and of the way there, so
// much is told that both are seen.
func TestWhatProgramsSayIsBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		want         []string
	}{
		"Short": {"as it is", "error 'told'", []string{"RUNTIME ERROR: told\n", "x.jsonnet:1:1"}},
		"Way":   {"a long way", "local f(x) = if x == 0 then error 'told' else f(x - 1) + 1;\nf(400)", []string{"RUNTIME ERROR: told\n", "x.jsonnet:1:"}},
		"Both":  {"a long text, too", "local d(s, n) = if n == 0 then s else d(s + s, n - 1) tailstrict;\nerror d('xxxxxxxx', 14)", []string{"RUNTIME ERROR: xxx", "…\n", "x.jsonnet:2:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := evaluation{file: "x.jsonnet", text: []byte(tc.text)}.result(&importer{})
			if err == nil || out != "" || len(err.Error()) > maxError+10 {
				t.Fatalf("%s: got %q, %.200v", tc.reason, out, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got no %q in %.200v", tc.reason, want, err)
				}
			}
		})
	}
}
