package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Source checks a repository. A deny matches every other repository, so that a
// list of denies alone permits all the rest.
func Source(p *v1alpha1.AppProject, repoURL string) error {
	repo, err := repositoryOf(repoURL)
	found := false
	for _, pattern := range p.Spec.SourceRepos {
		text, deny := strings.CutPrefix(pattern, "!")
		u := patternOf(text)
		switch {
		case deny && (err != nil || broken(text) || u.concerns(repo, '/')):
			return denied("cannot use repository %s: %q in spec.sourceRepos of project %q denies it", address.Public(repoURL), pattern, p.Name).
				Do("use another repository or project")
		case deny, pattern == "*", err == nil && u.permits(repo, '/'):
			found = true
		}
	}
	if !found {
		return denied("cannot use repository %s: project %q does not permit it", address.Public(repoURL), p.Name).
			Do("add it to spec.sourceRepos of the project")
	}
	return nil
}

// Sources checks all repositories that a sync would read.
func Sources(p *v1alpha1.AppProject, sources v1alpha1.ApplicationSources) error {
	for i := range sources {
		if err := Source(p, sources[i].RepoURL); err != nil {
			return err
		}
	}
	return nil
}
