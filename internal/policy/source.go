package policy

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Source checks a repository. A deny matches every other repository, so that a
// list of denies alone permits all the rest.
func Source(p *v1alpha1.AppProject, repoURL string) error {
	permitted, err := Besides(p, repoURL)
	if err == nil && !permitted {
		return denied("cannot use repository %s: project %q does not permit it", gitops.PublicAddress(repoURL), p.Name).
			Do("add it to spec.sourceRepos of the project")
	}
	return err
}

// Besides reports whether a project permits a repository that is read besides
// the sources of an Application, such as a chart's dependency. One that it only
// does not name may be read as everybody may read it; one that it denies is an error.
func Besides(p *v1alpha1.AppProject, repoURL string) (permitted bool, err error) {
	repo, unreadable := repositoryOf(repoURL)
	for _, pattern := range p.Spec.SourceRepos {
		if mine, is := ownSource(pattern, repo, unreadable); is {
			permitted = permitted || mine
			continue
		}
		text, deny := strings.CutPrefix(pattern, "!")
		u := patternOf(text)
		switch {
		case deny && (unreadable != nil || !u.readable() || u.concerns(repo, '/')):
			return false, denied("cannot use repository %s: %q in spec.sourceRepos of project %q denies it", gitops.PublicAddress(repoURL), pattern, p.Name).
				Do("use another repository or project")
		case deny, pattern == "*", unreadable == nil && u.permits(repo, '/'):
			permitted = true
		}
	}
	return permitted, nil
}

// Manifests checks whether a sync may bring manifests that are in no repository:
// only where every repository is permitted, or they would be a way around the rules.
func Manifests(p *v1alpha1.AppProject) error {
	if slices.Contains(p.Spec.SourceRepos, "*") && !slices.ContainsFunc(p.Spec.SourceRepos, denies) {
		return nil
	}
	return denied("cannot sync manifests that are in no source: project %q permits some repositories alone", p.Name).
		Do(`commit them to one of these, or permit "*" in spec.sourceRepos of the project`)
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
