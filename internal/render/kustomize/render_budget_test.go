package kustomize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// sparing is a source of a render that may hold a megabyte of texts, and 20,000 values.
func sparing(t *testing.T, files treetest.Files) *source.Source {
	t.Helper()
	limits := record.Limits{Files: 1000, FileBytes: 8 << 20, Bytes: bounded.NewBytes(1 << 20)}
	return &source.Source{
		Name: "app", Path: "app", Env: environ.Env{}, Output: bounded.NewBytes(1 << 20), Values: bounded.NewBudget(20_000),
		Tree: record.Wrap(t.Context(), treetest.Snapshot("r", "1", files), limits),
	}
}

// repeating is a document of 4 KiB that its aliases make 400 KiB of.
func repeating(head string) string {
	return "---\n" + head + "a: &a " + strings.Repeat("x", 4000) + "\nb: [*a" + strings.Repeat(",*a", 100) + "]\n"
}

// TestBuildsAreWithinTheRender: what the engine makes of the files of a kustomization,
// beside what the library does, counts for the render.
func TestBuildsAreWithinTheRender(t *testing.T) {
	const (
		object  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
		label   = "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: x}\npath: [other.yaml]\n"
		chart   = "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: x\nvaluesInline:\n  c: 1\n"
		sourced = "resources: [cm.yaml]\n"
	)
	for name, c := range map[string]struct {
		reason string
		files  treetest.Files
	}{
		"Transformers": {"configurations that are written again", treetest.Files{
			"app/kustomization.yaml": sourced + "transformers: [t.yaml]\n", "app/t.yaml": strings.Repeat(repeating(label), 10), "app/other.yaml": "",
		}},
		"Charts": {"charts that are kept, though none may be rendered", treetest.Files{
			"app/kustomization.yaml": sourced + "generators: [g.yaml]\n", "app/g.yaml": strings.Repeat(repeating(chart), 10),
		}},
		"Items": {"charts in a list", treetest.Files{
			"app/kustomization.yaml": sourced + "generators: [g.yaml]\n",
			"app/g.yaml":             "kind: List\nx: &a " + strings.Repeat("x", 4000) + "\nitems:\n" + strings.Repeat("- {apiVersion: builtin, kind: HelmChartInflationGenerator, name: x, valuesInline: {b: [*a"+strings.Repeat(",*a", 100)+"]}}\n", 10),
		}},
		"InPlace": {"configurations in place", treetest.Files{
			"app/kustomization.yaml": sourced + "transformers:\n" + strings.Repeat("- |\n  "+strings.ReplaceAll(repeating(label), "\n", "\n  ")+"\n", 10), "app/other.yaml": "",
		}},
		"Folders": {"folders that are built to be looked through", treetest.Files{
			"app/kustomization.yaml":     sourced + "transformers:\n" + strings.Repeat("- gen\n", 20),
			"app/gen/kustomization.yaml": "resources: [x.yaml]\ncommonAnnotations: {a: " + strings.Repeat("x", 4000) + "}\n",
			"app/gen/x.yaml":             moreObjects(40),
		}},
		"Kustomizations": {"kustomizations of bases", bases(10)},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["app/cm.yaml"] = object
			_, err := New(Options{}).Render(t.Context(), sparing(t, c.files))
			if err == nil || !strings.Contains(err.Error(), "together have more than") && !strings.Contains(err.Error(), "holds more than") {
				t.Errorf("%s: %.400v", c.reason, err)
			}
		})
	}
}

func moreObjects(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: x.io/v1\nkind: Labels\nmetadata: {name: x%d}\n", i)
	}
	return b.String()
}

// bases are kustomizations with aliases.
func bases(n int) treetest.Files {
	out := treetest.Files{}
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "- b%d\n", i)
		out[fmt.Sprintf("app/b%d/kustomization.yaml", i)] = "commonAnnotations: {a: &a " + strings.Repeat("x", 4000) + "}\nlabels: [{pairs: {a: *a}}" + strings.Repeat(",{pairs: {a: *a}}", 400) + "]\n"
	}
	out["app/kustomization.yaml"] = "resources:\n- cm.yaml\n" + list.String()
	return out
}

// TestMarksOfOthersStay: an annotation that the library writes is read where it wrote it.
func TestMarksOfOthersStay(t *testing.T) {
	const path = "../../../../x"
	text := "- &a {path: " + path + ", configuredBy: {name: " + strings.Repeat("x", 1000) + "}}\n" + strings.Repeat("- *a\n", 100)
	files := treetest.Files{
		"app/kustomization.yaml": "resources: [cm.yaml]\nbuildMetadata: [transformerAnnotations]\n",
		"app/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    " + transformationAnnotation + ": |\n      " +
			strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n      ") + "\n",
	}
	out, err := New(Options{}).Render(t.Context(), sparing(t, files))
	if err != nil || len(out) != 1 {
		t.Fatal(len(out), err)
	}
	if got := out[0].Object.GetAnnotations()[transformationAnnotation]; len(got) > 2*len(text) {
		t.Errorf("%d bytes became %d", len(text), len(got))
	}
}

// TestPlacesAreBounded: lines with names are looked for up to a bound, and objects are
// built beyond it.
func TestPlacesAreBounded(t *testing.T) {
	marks := marksOf([]byte("kind: List\nitems:\n"+strings.Repeat("#,name:a\n", 100)), 10)
	if len(marks) != 10 {
		t.Errorf("%d marks", len(marks))
	}
	d := &disk{candidates: map[string][]*candidate{}, unlisted: 2}
	for range 5 {
		d.add("Secret", candidate{name: "a", now: "a"})
	}
	d.add("Secret", candidate{name: "a", now: strings.Repeat("a", longestName+1)})
	if len(d.candidates["Secret"]) != 2 {
		t.Errorf("%d candidates", len(d.candidates["Secret"]))
	}
}

// TestSettingsAreHeld: what is shown of the settings of a kustomization counts for the
// look.
func TestSettingsAreHeld(t *testing.T) {
	s := sparing(t, treetest.Files{"app/kustomization.yaml": "x: &a " + strings.Repeat("x", 4000) + "\nimages: [{name: a, newTag: *a}" + strings.Repeat(", {name: a, newTag: *a}", 300) + "]\n"})
	if _, err := New(Options{}).Settings(t.Context(), s); err == nil {
		t.Error("more than a megabyte is shown")
	}
}

// TestChartsOfGeneratorsKeepTheirValues: a generator may have any text.
func TestChartsOfGeneratorsKeepTheirValues(t *testing.T) {
	r := &rewriting{disk: newDisk(t.Context(), sparing(t, nil), flags{}, "kustomization.yaml", nil)}
	long := strings.Repeat("k", 2000)
	if err := r.addChart(map[string]any{"name": "x", "valuesInline": map[string]any{"a": "\x7f", long: "b"}}); err != nil {
		t.Fatal(err)
	}
	if got := r.charts[0].chart.ValuesInline; got["a"] != "\x7f" || got[long] != "b" {
		t.Errorf("got %v", got)
	}
}
