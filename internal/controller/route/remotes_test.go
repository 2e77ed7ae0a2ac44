package route

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWhatRendersReadBesides is forgotten with the application.
func TestWhatRendersReadBesides(t *testing.T) {
	var x remotes
	a, b := types.NamespacedName{Name: "a"}, types.NamespacedName{Name: "b"}
	x.put(a, []gitops.SourceRef{{RepoURL: "r", Revision: "v1"}, {RepoURL: "r", Revision: "v2"}})
	x.put(b, []gitops.SourceRef{{RepoURL: "r", Revision: "v2"}})
	if got := x.concerned(gitops.RepoChange{Repos: []string{"r"}, Revisions: []string{"v1"}}); len(got) != 1 || got[0] != a {
		t.Errorf("a change of v1 concerns %v", got)
	}
	if got := x.concerned(gitops.RepoChange{Repos: []string{"r"}}); len(got) != 2 {
		t.Errorf("a change of any revision concerns %v", got)
	}
	x.put(a, nil)
	x.drop(b)
	if got := x.concerned(gitops.RepoChange{Repos: []string{"r"}}); len(got) != 0 || len(x.refs) != 0 {
		t.Errorf("what is forgotten concerns %v", got)
	}
}
