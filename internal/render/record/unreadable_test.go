package record

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// linked is a tree whose folders have more links than are followed for a digest.
type linked struct{ gitops.Tree }

func (l linked) Digest(name string) (string, error) {
	if info, err := l.Stat(name); err != nil || info.IsDir() {
		return "", errors.New("more than 50000 links are followed")
	}
	return l.Tree.Digest(name)
}

// TestFoldersThatHaveNoDigest: what a folder holds is not the same because it could
// not be told twice.
func TestFoldersThatHaveNoDigest(t *testing.T) {
	of := func(files treetest.Files) *gitops.Snapshot {
		s := treetest.Snapshot("r", "1", files)
		s.Tree = linked{s.Tree}
		return s
	}
	tree := Wrap(t.Context(), of(files()), Limits{})
	if _, err := tree.ReadFile("a/one"); err != nil {
		t.Fatal(err)
	}
	log := tree.Log("a")
	for reason, tc := range map[string]struct {
		change string
		want   bool
	}{"what was read changed": {"a/one", false}, "what was not read changed": {"a/two", true}} {
		if got := log.Holds(of(files().With(tc.change, "changed"))); got != tc.want {
			t.Errorf("%s: it holds: %t", reason, got)
		}
		if moved := log.At(of(files().With("c", "changed"))); moved.Holds(of(files().With(tc.change, "changed"))) != tc.want {
			t.Errorf("%s after the log was moved: it holds: %t", reason, !tc.want)
		}
	}
}
