package gitops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWarningsAreFew is about what is kept of very many warnings: the first of each reason, and how many more there were.
func TestWarningsAreFew(t *testing.T) {
	var w gitops.Warnings
	if got := w.List(); got != nil {
		t.Errorf("nothing was added, and there is %v", got)
	}
	made := 0
	for range 1000 {
		w.Tell(gitops.Warning{Reason: "Common"}, func() string {
			made++
			return "text"
		})
	}
	w.Add(gitops.Warning{Reason: "Rare", Message: "one"})
	w.Add(gitops.Warning{Reason: "Rare", Message: "and 7 more", More: 7})
	list := w.List()
	if made != 100 || len(list) != 103 {
		t.Fatalf("%d texts were made, and %d warnings are kept", made, len(list))
	}
	want := []gitops.Warning{
		{Reason: "Rare", Message: "one"},
		{Reason: "Common", Message: "and 900 more (Common)", More: 900},
		{Reason: "Rare", Message: "and 7 more (Rare)", More: 7},
	}
	if diff := cmp.Diff(want, list[100:]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var again gitops.Warnings // as of a part of something larger
	for _, one := range list {
		again.Add(one)
	}
	if diff := cmp.Diff(list, again.List()); diff != "" {
		t.Errorf("what was counted is lost on the way: -want +got\n%s", diff)
	}
}
