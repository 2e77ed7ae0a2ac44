package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

func TestUnnamed(t *testing.T) {
	project := policy.DefaultProject("argocd")
	refused := gitops.Problemf(gitops.Refused, "cannot read it: who are you?").Do("add a repository Secret")
	err := unnamed(refused, project)
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Forbidden || !strings.Contains(err.Error(), "who are you?; add it to spec.sourceRepos") {
		t.Errorf("what only others may read is told as %v", err)
	}
	if refused.Kind != gitops.Refused {
		t.Error("the error of all who asked was changed")
	}
	away := gitops.Problemf(gitops.Unreachable, "it does not answer")
	if got := unnamed(away, project); !errors.Is(got, away) || !errors.As(got, &p) || p.Kind != gitops.Unreachable {
		t.Errorf("a host that is away is told as %v", got)
	}
	if err := unnamed(nil, project); err != nil {
		t.Errorf("no error is told as %v", err)
	}
}

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
