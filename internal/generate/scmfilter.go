package generate

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// repoFilters are sorted by what they ask about. A repository is kept when one
// of those that ask about repositories matches, or there is none; the same
// then holds for its branches. A filter that asks about both is among both.
type repoFilters struct {
	repositories, branches []repoFilter
}

type repoFilter struct {
	repository, label, branch *regexp.Regexp
	there, absent             []string
}

func readRepoFilters(filters []v1alpha1.SCMProviderGeneratorFilter) (repoFilters, error) {
	var out repoFilters
	for _, f := range filters {
		read := repoFilter{there: f.PathsExist, absent: f.PathsDoNotExist}
		for _, p := range []struct {
			name string
			text *string
			to   **regexp.Regexp
		}{
			{"repositoryMatch", f.RepositoryMatch, &read.repository},
			{"labelMatch", f.LabelMatch, &read.label},
			{"branchMatch", f.BranchMatch, &read.branch},
		} {
			if err := compile(p.name, p.text, p.to); err != nil {
				return out, err
			}
		}
		if read.repository != nil || read.label != nil {
			out.repositories = append(out.repositories, read)
		}
		if read.branch != nil || len(read.there)+len(read.absent) > 0 {
			out.branches = append(out.branches, read)
		}
	}
	return out, nil
}

// compile reads a regular expression, which matches anywhere in a text. One
// that is absent stays nil.
func compile(name string, text *string, to **regexp.Regexp) error {
	if text == nil {
		return nil
	}
	read, err := regexp.Compile(*text)
	if err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot read %s of a filter: %w", name, err).
			Do("write a regular expression of Go")
	}
	*to = read
	return nil
}

func matches(r *regexp.Regexp, text string) bool { return r == nil || r.MatchString(text) }

func (f repoFilters) keepRepository(r gitops.HostRepository) bool {
	return len(f.repositories) == 0 || slices.ContainsFunc(f.repositories, func(f repoFilter) bool {
		return matches(f.repository, r.Repository) && (f.label == nil || slices.ContainsFunc(r.Labels, f.label.MatchString))
	})
}

func (f repoFilters) keepBranch(ctx context.Context, forge Forge, b gitops.HostRepository) (bool, error) {
	for _, filter := range f.branches {
		ok, err := filter.keepsBranch(ctx, forge, b)
		if ok || err != nil {
			return ok, err
		}
	}
	return len(f.branches) == 0, nil
}

func (f repoFilter) keepsBranch(ctx context.Context, forge Forge, b gitops.HostRepository) (bool, error) {
	if !matches(f.branch, b.Branch) {
		return false, nil
	}
	for i, path := range slices.Concat(f.there, f.absent) {
		has, err := forge.HasPath(ctx, b, strings.TrimRight(path, "/"))
		if wanted := i < len(f.there); err != nil || has != wanted {
			return false, err
		}
	}
	return true, nil
}
