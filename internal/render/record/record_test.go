package record

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func files() treetest.Files {
	return treetest.Files{"a/one": "1", "a/two": "2", "b/deep/three": "3", "c": "4"}
}

// TestHolds tells which changes a use of the tree notices.
func TestHolds(t *testing.T) {
	read := func(name string) func(*Tree) { return func(t *Tree) { _, _ = t.ReadFile(name) } }
	cases := map[string]struct {
		reason string
		use    func(*Tree)
		change string
		want   bool
	}{
		"Read":           {"a read file", read("a/one"), "a/one", false},
		"ReadOther":      {"another file than the one read", read("a/one"), "a/two", true},
		"Nothing":        {"a file that was not there", read("a/new"), "a/new", false},
		"NothingOutside": {"a file outside the folder that was not there", read("b/new"), "b/new", false},
		"List":           {"a new entry of a listed folder", func(t *Tree) { _, _ = t.ReadDir("b") }, "b/new", false},
		"ListDeep":       {"a new entry below a listed folder", func(t *Tree) { _, _ = t.ReadDir("b") }, "b/deep/new", true},
		"ListContent":    {"the content of a listed file", func(t *Tree) { _, _ = t.ReadDir("b/deep") }, "b/deep/three", true},
		"Stat":           {"the content of a file whose kind was asked", func(t *Tree) { _, _ = t.Stat("c") }, "c", true},
		"Digest":         {"anything below a folder taken as a whole", func(t *Tree) { _, _ = t.Digest("b") }, "b/deep/new", false},
		"Open":           {"an opened file", func(t *Tree) { _, _ = t.Open("c") }, "c", false},
		"Walk":           {"a walk over everything", func(t *Tree) { _ = fs.WalkDir(t, ".", func(string, fs.DirEntry, error) error { return nil }) }, "b/deep/new", false},
		"Unrecorded":     {"what is read on the quiet", func(t *Tree) { _, _ = t.Unrecorded().ReadFile("c") }, "c", true},
		"Where":          {"a place in a message", func(t *Tree) { t.Where("c", 1) }, "c", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), Limits{})
			tc.use(tree)
			log := tree.Log("a")
			if !log.Holds(treetest.Snapshot("r", "2", files())) {
				t.Errorf("%s: the same content does not hold", tc.reason)
			}
			changed := treetest.Snapshot("r", "2", files().With(tc.change, "changed"))
			if got := log.Holds(changed); got != tc.want {
				t.Errorf("%s: Holds is %v, want %v", tc.reason, got, tc.want)
			}
			if tc.want && !log.At(changed).Holds(changed) {
				t.Errorf("%s: the moved log does not hold where it was moved to", tc.reason)
			}
		})
	}
}

func TestRevision(t *testing.T) {
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), Limits{})
	tree.Revision()
	if tree.Log(".").Holds(treetest.Snapshot("r", "2", files())) {
		t.Error("a used revision must hold for itself alone")
	}
}

func TestLimits(t *testing.T) {
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), Limits{Files: 2})
	for _, name := range []string{"a/one", "a/one", "a/two", "a/one"} {
		if _, err := tree.ReadFile(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := tree.ReadFile("c")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Where.File != "c" {
		t.Errorf("a third file: %v", err)
	}
}

// TestBytes: what is read again is another copy, of whichever tree.
func TestBytes(t *testing.T) {
	l := Limits{Bytes: bounded.NewBytes(4)}
	one, other := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), l), Wrap(t.Context(), treetest.Snapshot("r", "1", files()), l)
	for _, tree := range []*Tree{one, one, other} {
		if _, err := tree.ReadFile("a/one"); err != nil {
			t.Errorf("with room: %v", err)
		}
	}
	if err := other.Hold("a", "chart a", 1); err != nil {
		t.Errorf("with room: %v", err)
	}
	_, again := one.ReadFile("a/one")
	for _, err := range []error{again, other.Hold("a/one", "chart a/one unpacked", 1)} {
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Where.File != "a/one" || !strings.Contains(err.Error(), "a/one") || !strings.Contains(err.Error(), "more than 4 bytes") {
			t.Errorf("got %v", err)
		}
	}
}

// TestLargeFileAgain: a file that was refused is refused whoever asks next.
func TestLargeFileAgain(t *testing.T) {
	tree := Wrap(t.Context(), treetest.Snapshot("r", "1", treetest.Files{"a": "12"}), Limits{FileBytes: 1})
	for range 2 {
		if _, err := tree.ReadFile("a"); err == nil {
			t.Error("it is read")
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tree := Wrap(ctx, treetest.Snapshot("r", "1", files()), Limits{})
	cancel()
	if _, err := tree.ReadFile("c"); !errors.Is(err, context.Canceled) {
		t.Errorf("reads must end with the render: %v", err)
	}
}

func TestFacts(t *testing.T) {
	had := gitops.Facts{KubeVersion: "1.33.0", APIVersions: []string{"apps/v1", "v1"}}
	cases := map[string]struct {
		reason string
		use    func(*Facts)
		now    gitops.Facts
		want   bool
	}{
		"Unused":  {"nothing was asked", func(*Facts) {}, gitops.Facts{}, true},
		"Version": {"the version was asked", func(f *Facts) { f.KubeVersion() }, gitops.Facts{KubeVersion: "1.34.0"}, false},
		"Same":    {"the version was asked and is the same", func(f *Facts) { f.KubeVersion() }, gitops.Facts{KubeVersion: "1.33.0"}, true},
		"All":     {"the list was asked", func(f *Facts) { f.APIVersions() }, gitops.Facts{APIVersions: []string{"apps/v1", "v1", "x/v1"}}, false},
		"One":     {"one was asked, another came", func(f *Facts) { f.Has("y/v1") }, gitops.Facts{APIVersions: []string{"x/v1"}}, true},
		"Gone":    {"one was asked and is gone", func(f *Facts) { f.Has("v1") }, gitops.Facts{APIVersions: []string{"apps/v1"}}, false},
		"Order":   {"an unsorted list tells the same", func(f *Facts) { f.Has("v1") }, gitops.Facts{APIVersions: []string{"v1", "apps/v1"}}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := WrapFacts(had)
			tc.use(f)
			if got := f.Log().Holds(tc.now); got != tc.want {
				t.Errorf("%s: Holds is %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}
