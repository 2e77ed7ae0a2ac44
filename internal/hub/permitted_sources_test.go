package hub

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/source"
)

// onlyProject is the project of whoever asks.
type onlyProject struct{ *v1alpha1.AppProject }

func (p onlyProject) Project(context.Context, string) (*v1alpha1.AppProject, error) {
	return p.AppProject, nil
}

// TestDeniedChartsAreNotRead writes the folder of a registry that a project denies into
// the name of a chart: as a source, and as a dependency or a chart of a kustomization.
func TestDeniedChartsAreNotRead(t *testing.T) {
	registry, err := source.New(source.Options{CacheDir: t.TempDir(), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = registry.Close() })
	project := policy.DefaultProject("argocd")
	project.Spec.SourceRepos = []string{"*", "!registry.example.com/blue/**", "!registry.example.com/blue*"}
	permitted := Permitted{Registry: registry, Projects: onlyProject{project}}
	for reader, read := range map[string]func(context.Context, gitops.SourceRef) (*gitops.Snapshot, error){"source": permitted.Snapshot, "besides": besides(permitted).Snapshot} {
		for _, repo := range []string{"registry.example.com", "oci://registry.example.com", "https://registry.example.com"} {
			if _, err := read(t.Context(), gitops.SourceRef{RepoURL: repo, Chart: "blue/shop"}); !gitops.IsProblem(err, gitops.Forbidden) {
				t.Errorf("%s: a denied chart of %s is looked for: %v", reader, repo, err)
			}
			if _, err := read(t.Context(), gitops.SourceRef{RepoURL: repo, Chart: "red/shop"}); !gitops.IsProblem(err, gitops.NotMirrored) {
				t.Errorf("%s: another chart of %s is not looked for: %v", reader, repo, err)
			}
		}
	}
}

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
