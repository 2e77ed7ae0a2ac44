package record

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/render/wire"
)

// TestChangedFiles tells a person which of the files that a render used made it
// another one.
func TestChangedFiles(t *testing.T) {
	read := func(name string) func(*Tree) { return func(t *Tree) { _, _ = t.ReadFile(name) } }
	list := func(name string) func(*Tree) { return func(t *Tree) { _, _ = t.ReadDir(name) } }
	whole := func(name string) func(*Tree) { return func(t *Tree) { _, _ = t.Digest(name) } }
	without := func(names ...string) treetest.Files {
		out := files()
		for _, name := range names {
			delete(out, name)
		}
		return out
	}
	for name, tc := range map[string]struct {
		reason string
		use    func(*Tree)
		after  treetest.Files
		want   []string
	}{
		"Read":      {"a file that was read", read("a/one"), files().With("a/one", "x"), []string{"a/one"}},
		"Other":     {"a file that was not", read("a/one"), files().With("a/two", "x"), nil},
		"Came":      {"a file that was looked for", read("a/new"), files().With("a/new", "x"), []string{"a/new"}},
		"Went":      {"a file that was there", read("c"), without("c"), []string{"c"}},
		"Listed":    {"a new file in a listed folder", list("a"), files().With("a/new", "x"), []string{"a/new"}},
		"Unlisted":  {"a file that is gone out of one", list("a"), without("a/two"), []string{"a/two"}},
		"Content":   {"what is in a listed file was not asked", list("a"), files().With("a/one", "x"), nil},
		"Replaced":  {"a folder in the place of a file", list("."), without("c").With("c/d", "x"), []string{"c"}},
		"Folder":    {"one of the files of a folder that was taken as a whole", whole("."), files().With("b/deep/three", "x").With("a/new", "y"), []string{"a/new", "b/deep/three"}},
		"Emptied":   {"a folder that is gone", whole("b"), without("b/deep/three"), []string{"b/deep"}},
		"Turned":    {"a folder that became a file", whole("a"), without("a/one", "a/two").With("a", "x"), []string{"a"}},
		"Kind":      {"what was only looked at", func(t *Tree) { _, _ = t.Stat("c") }, without("c").With("c/d", "x"), []string{"c"}},
		"Unchanged": {"nothing", whole("."), files(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := treetest.Snapshot("r", "1", files()), treetest.Snapshot("r", "1", tc.after)
			tree := Wrap(t.Context(), before, Limits{})
			tc.use(tree)
			got := tree.Log(".").Changed(before, after)
			if d := cmp.Diff(tc.want, got); d != "" && len(tc.want)+len(got) > 0 {
				t.Errorf("%s:\n%s", tc.reason, d)
			}
			if holds := tree.Log(".").Holds(after); holds != (len(tc.want) == 0) {
				t.Errorf("%s: the render holds: %t", tc.reason, holds)
			}
		})
	}
}

// TestManyChangedFiles: people read the first, and a folder may have a hundred thousand.
func TestManyChangedFiles(t *testing.T) {
	after := files()
	for i := range 3 * maxChanged {
		after[fmt.Sprintf("a/%04d", i)] = "x"
	}
	before := treetest.Snapshot("r", "1", files())
	tree := Wrap(t.Context(), before, Limits{})
	if _, err := tree.Digest("a"); err != nil {
		t.Fatal(err)
	}
	got := tree.Log(".").Changed(before, treetest.Snapshot("r", "2", after))
	if len(got) != maxChanged || !slices.IsSorted(got) {
		t.Errorf("%d are told", len(got))
	}
}

// TestRevisionsThatChanged have no file.
func TestRevisionsThatChanged(t *testing.T) {
	before := treetest.Snapshot("r", "1", files())
	tree := Wrap(t.Context(), before, Limits{})
	if got := tree.Revision(); got != "1" {
		t.Errorf("got %q", got)
	}
	if d := cmp.Diff([]string{""}, tree.Log(".").Changed(before, treetest.Snapshot("r", "2", files()))); d != "" {
		t.Error(d)
	}
}

// TestWhatWasRead names files, and folders by a slash at their end.
func TestWhatWasRead(t *testing.T) {
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), Limits{})
	for _, name := range []string{"c", "a/one", "c", "a/none"} {
		_, _ = tree.ReadFile(name) // one is not there
	}
	if _, err := tree.ReadDir("b"); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Digest("b"); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.ReadDir("."); err != nil {
		t.Fatal(err)
	}
	tree.Revision()
	if d := cmp.Diff([]string{"", "a/one", "b/", "c"}, tree.Log(".").Reads()); d != "" {
		t.Error(d)
	}
}

// TestLogsOnTheDisk are read as they were written; one that breaks off, or is longer
// than any, is no log.
func TestLogsOnTheDisk(t *testing.T) {
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), Limits{})
	_, _ = tree.ReadFile("a/one")
	_, _ = tree.ReadFile("a/none")
	_, _ = tree.ReadDir("b")
	facts := WrapFacts(gitops.Facts{KubeVersion: "1.33.0", APIVersions: []string{"apps/v1", "v1"}})
	facts.KubeVersion()
	facts.Has("v1")
	facts.Has("x/v1")
	log, known := tree.Log("a"), facts.Log()
	w := &wire.Writer{}
	log.Write(w)
	known.Write(w)
	r := wire.NewReader(w.Bytes(), wire.Most)
	gotLog, gotFacts := ReadLog(r, 100), ReadFacts(r)
	if r.Err() != nil || r.Len() != 0 {
		t.Fatalf("%v, %d bytes are left", r.Err(), r.Len())
	}
	private := cmp.AllowUnexported(Log{}, answer{}, note{}, FactsLog{})
	if d := cmp.Diff(log, gotLog, private); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(known, gotFacts, private); d != "" {
		t.Error(d)
	}
	for n := range len(w.Bytes()) {
		r := wire.NewReader(w.Bytes()[:n], wire.Most)
		ReadLog(r, 100)
		ReadFacts(r)
		if r.Err() == nil {
			t.Errorf("the first %d of %d bytes are a log", n, len(w.Bytes()))
		}
	}
	short := wire.NewReader(w.Bytes(), wire.Most)
	if ReadLog(short, log.Len()-1); short.Err() == nil {
		t.Error("more answers than there may be")
	}
}

// TestFilesOfAllTrees: many sources read no more together than one may.
func TestFilesOfAllTrees(t *testing.T) {
	all := Limits{All: bounded.NewBudget(2)}
	one, other := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), all), Wrap(t.Context(), treetest.Snapshot("s", "1", files()), all)
	for _, tree := range []*Tree{one, one, other, other} { // what is read again is the same file
		if _, err := tree.ReadFile("c"); err != nil {
			t.Errorf("with room: %v", err)
		}
	}
	if _, err := other.ReadFile("a/one"); !gitops.IsProblem(err, gitops.Invalid) {
		t.Errorf("a third one: %v", err)
	}
	changed := treetest.Snapshot("s", "1", files().With("a/one", "x"))
	if other.Log(".").Holds(changed) {
		t.Error("what was refused stays so, whatever the file becomes")
	}
}

// TestFoldersAreNoFiles: reading one tells so, and holds until it is a file.
func TestFoldersAreNoFiles(t *testing.T) {
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), Limits{})
	if _, err := tree.ReadFile("a"); err == nil {
		t.Error("a folder is read")
	}
	without := treetest.Files{"a": "x"}
	if log := tree.Log("."); !log.Holds(treetest.Snapshot("r", "1", files().With("a/one", "x"))) || log.Holds(treetest.Snapshot("r", "1", without)) {
		t.Error("it holds for what is in the folder, or for what is none")
	}
}
