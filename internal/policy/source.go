package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Source checks a repository. A deny matches every other repository, so that a
// list of denies alone permits all the rest.
func Source(p *v1alpha1.AppProject, ref gitops.SourceRef) error {
	permitted, err := Besides(p, ref)
	if err == nil && !permitted {
		return denied("cannot use repository %s: project %q does not permit it", gitops.PublicAddress(ref.RepoURL), p.Name).
			Do("add it to spec.sourceRepos of the project")
	}
	return err
}

// Besides reports whether a project permits a repository that is read besides
// the sources of an Application, such as a chart's dependency. One that it only
// does not name may be read as everybody may read it; one that it denies is an error.
// Of a chart the address decides what is permitted, as in Argo CD, and what is denied
// is held against where a registry has the chart as well.
func Besides(p *v1alpha1.AppProject, ref gitops.SourceRef) (permitted bool, err error) {
	repo, unreadable := repositoryOf(ref.RepoURL)
	charts, unfit := repo.charts(ref)
	for _, pattern := range p.Spec.SourceRepos {
		if mine, is := ownSource(pattern, repo, unreadable); is {
			permitted = permitted || mine
			continue
		}
		text, deny := strings.CutPrefix(pattern, "!")
		u := patternOf(text)
		switch {
		case deny && (unreadable != nil || !u.readable() || u.concerns(repo, '/')):
			return false, deniedBy(p, pattern, "repository "+gitops.PublicAddress(ref.RepoURL))
		case deny && (unfit != nil || slices.ContainsFunc(charts, func(c repository) bool { return u.concerns(c, '/') })):
			return false, deniedBy(p, pattern, fmt.Sprintf("chart %q of repository %s", gitops.First(ref.Chart, mostTold), gitops.PublicAddress(ref.RepoURL)))
		case deny, pattern == "*", unreadable == nil && u.permits(repo, '/'):
			permitted = true
		}
	}
	return permitted, nil
}

func deniedBy(p *v1alpha1.AppProject, pattern, what string) error {
	return denied("cannot use %s: %q in spec.sourceRepos of project %q denies it", what, pattern, p.Name).
		Do("use another repository or project")
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
		if err := Source(p, gitops.SourceRef{RepoURL: sources[i].RepoURL, Chart: sources[i].Chart}); err != nil {
			return err
		}
	}
	return nil
}
