package record

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

// other is a tree that differs from a Bomb in what is not listed, as trees do
// that have another Git submodule at every path.
type other struct{ walktest.Bomb }

func (o other) Digest(name string) (string, error) {
	digest, err := o.Bomb.Digest(name)
	return "other " + digest, err
}

// TestChangedWithoutEnd ends, though every folder differs and none has a file
// that does.
func TestChangedWithoutEnd(t *testing.T) {
	bomb := walktest.Bomb{Deep: 10}
	before := bomb.Snapshot("r")
	after := bomb.Snapshot("r")
	after.Tree = other{bomb}
	tree := Wrap(t.Context(), before, Limits{})
	if _, err := tree.Digest("."); err != nil {
		t.Fatal(err)
	}
	if got := tree.Log(".").Changed(before, after); len(got) != 0 {
		t.Errorf("nothing that is listed differs: %v", got)
	}
}
