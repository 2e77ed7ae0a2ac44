package source

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestBesideIsOfTheSameProject(t *testing.T) {
	s := &Source{Name: "web", Project: "shop"}
	want := gitops.SourceRef{RepoURL: "https://charts.example.com", Chart: "cache", Revision: "1.x", Project: "shop"}
	if got := s.Beside(want.RepoURL, want.Chart, want.Revision); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
