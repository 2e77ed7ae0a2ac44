package hub

import (
	"errors"
	"strings"
	"testing"

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
