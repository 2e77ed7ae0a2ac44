package helm

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// within is a source that holds so many bytes at most.
func within(t *testing.T, most int64, files treetest.Files, spec v1alpha1.ApplicationSourceHelm) *source.Source {
	t.Helper()
	s := sourceOf(t, files, spec, gitops.Facts{})
	s.Tree = record.Wrap(t.Context(), treetest.Snapshot("https://git.example.com/r", "1", files), record.Limits{Bytes: bounded.NewBytes(most)})
	return s
}

// TestArchivesAreBoundedUnpacked: some hundred bytes may be an archive of as many megabytes.
func TestArchivesAreBoundedUnpacked(t *testing.T) {
	large := packedChart(t, "a: "+strings.Repeat("x", 300_000)+"\n")
	one := chartFiles().With("web/charts/db.tgz", large)
	cases := map[string]struct {
		reason string
		files  treetest.Files
		want   string // "" where it renders
	}{
		"One": {"one that there is room for", one, ""},
		"Sum": {"two together", one.With("web/charts/dc.tgz", large), "chart web/charts/dc.tgz unpacked, which has "},
		"Bomb": {"one of more than any may have, however much there is room for", chartFiles().With("web/charts/db.tgz", packedChart(t, strings.Repeat(" ", 101<<20))),
			"web/charts/db.tgz: it has more than 100 MiB unpacked"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{}).Render(t.Context(), within(t, 500_000, tc.files, v1alpha1.ApplicationSourceHelm{}))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
	r := New(Options{})
	if _, err := r.Render(t.Context(), within(t, 1<<20, one, v1alpha1.ApplicationSourceHelm{})); err != nil {
		t.Error(err)
	}
	if _, err := r.Render(t.Context(), within(t, 200_000, one, v1alpha1.ApplicationSourceHelm{})); err == nil || !strings.Contains(err.Error(), "more than 200000 bytes") {
		t.Errorf("a chart that is kept is held, too: %v", err)
	}
}

// TestFileParametersShareAText: a file is read and held once, whoever has its name.
func TestFileParametersShareAText(t *testing.T) {
	var spec v1alpha1.ApplicationSourceHelm
	for i := range 10 {
		path := []string{"../values/a.yaml", "/values/a.yaml"}[i%2]
		spec.FileParameters = append(spec.FileParameters, v1alpha1.HelmFileParameter{Name: fmt.Sprint("p", i), Path: path})
	}
	values, err := New(Options{}).values(t.Context(), within(t, 10, chartFiles(), spec), &spec)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := values["p0"].(string)
	for name, v := range values {
		if text, _ := v.(string); text != "a: a\n" || unsafe.StringData(text) != unsafe.StringData(first) {
			t.Errorf("%s has a text of its own: %v", name, v)
		}
	}
	if _, err := parameterLayers(within(t, 10, chartFiles(), spec), &spec); err != nil {
		t.Errorf("as they are explained: %v", err)
	}
}

// TestFilesByAddressTogether: each file is within the bounds of one.
func TestFilesByAddressTogether(t *testing.T) {
	spec := v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"https://h.example.com/a.yaml", "https://h.example.com/b.yaml"}}
	text := "a: " + strings.Repeat("x", 300_000) + "\n"
	web := fakeFiles{"https://h.example.com/a.yaml": text, "https://h.example.com/b.yaml": text}
	_, err := New(Options{Files: web}).Render(t.Context(), within(t, 500_000, chartFiles(), spec))
	if err == nil || !strings.Contains(err.Error(), "https://h.example.com/b.yaml, which has 300004 bytes") {
		t.Errorf("got %v", err)
	}
	if _, err := New(Options{Files: web}).Render(t.Context(), within(t, 1<<20, chartFiles(), spec)); err != nil {
		t.Errorf("with room: %v", err)
	}
}

// counting counts the reads of a file.
type counting struct {
	gitops.Tree

	name  string
	reads atomic.Int32
}

func (c *counting) ReadFile(name string) ([]byte, error) {
	if name == c.name {
		c.reads.Add(1)
	}
	return c.Tree.ReadFile(name)
}

// TestDependenciesBesideShareAFolder: a folder is loaded once in a render, also
// where it is too large to be kept beyond that.
func TestDependenciesBesideShareAFolder(t *testing.T) {
	files := treetest.Files{
		"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n" +
			"- {name: lib, version: 1.x, alias: one, repository: \"file://../lib\"}\n- {name: lib, version: \">=1\", alias: two, repository: \"file://../lib\"}\n",
		"lib/Chart.yaml":  "apiVersion: v2\nname: lib\nversion: 1.0.0\n",
		"lib/values.yaml": "a: 1\n",
	}
	snapshot := treetest.Snapshot("https://git.example.com/r", "1", files)
	tree := &counting{Tree: snapshot.Tree, name: "lib/values.yaml"}
	snapshot.Tree = tree
	s := sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{})
	s.Tree, s.Loaded = record.Wrap(t.Context(), snapshot, record.Limits{}), &sync.Map{}
	if _, err := New(Options{CacheBytes: 1}).Render(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if n := tree.reads.Load(); n != 1 {
		t.Errorf("it is read %d times", n)
	}
}

// TestDependenciesBesideAreHeld: what is read unrecorded counts as all that is read.
func TestDependenciesBesideAreHeld(t *testing.T) {
	files := treetest.Files{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n"}
	for _, name := range []string{"la", "lb"} {
		files["web/Chart.yaml"] += "- {name: " + name + ", version: 1.x, repository: \"file://../" + name + "\"}\n"
		files[name+"/Chart.yaml"] = "apiVersion: v2\nname: " + name + "\nversion: 1.0.0\n"
		files[name+"/large.txt"] = strings.Repeat("x", 300_000)
	}
	_, err := New(Options{}).Render(t.Context(), within(t, 500_000, files, v1alpha1.ApplicationSourceHelm{}))
	if err == nil || !strings.Contains(err.Error(), "lb/large.txt, which has 300000 bytes") {
		t.Errorf("got %v", err)
	}
}
