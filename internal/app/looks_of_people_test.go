package app

import (
	"context"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestLooksAreOfThePerson: what is read for who has signed in is none of the project's,
// and neither is what is read for who has not.
func TestLooksAreOfThePerson(t *testing.T) {
	e := start(t, map[string]string{"app/cm.yaml": configMapV1})
	ref := gitops.SourceRef{RepoURL: repoURL, Revision: "main", Project: v1alpha1.DefaultProject}
	ours := func(project string) bool { return project == ref.Project }
	read := func(ctx context.Context) (used bool) {
		if _, err := e.sources.Snapshot(ctx, ref); err != nil {
			t.Fatal(err)
		}
		_, used = e.sources.State(repoURL, ours)
		return used
	}
	if read(auth.With(t.Context(), &auth.User{Name: "ann", Via: auth.Local})) {
		t.Error("what a person looks at is used by the project")
	}
	if read(auth.Outside(t.Context())) {
		t.Error("what a stranger looks at is used by the project")
	}
	if !read(t.Context()) {
		t.Error("what an Application needs is used by nobody")
	}
}
