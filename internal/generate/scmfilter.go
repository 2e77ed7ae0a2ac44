package generate

import (
	"context"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// repoFilters are sorted by what they ask about. A repository is kept when one
// of those that ask about repositories matches, or there is none; the same
// then holds for its branches. A filter that asks about both is among both.
type repoFilters struct {
	repositories, branches []repoFilter

	matching *bounded.Matching
}

type repoFilter struct {
	repository, label, branch *bounded.Expression
	there, absent             []string
}

func readRepoFilters(filters []v1alpha1.SCMProviderGeneratorFilter, matching *bounded.Matching) (repoFilters, error) {
	out := repoFilters{matching: matching}
	all := &expressions{left: bounded.MostSize}
	for _, f := range filters {
		read := repoFilter{there: f.PathsExist, absent: f.PathsDoNotExist}
		for _, p := range []struct {
			name string
			text *string
			to   **bounded.Expression
		}{
			{"repositoryMatch", f.RepositoryMatch, &read.repository},
			{"labelMatch", f.LabelMatch, &read.label},
			{"branchMatch", f.BranchMatch, &read.branch},
		} {
			if err := all.compile(p.name, p.text, p.to); err != nil {
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

// expressions bounds those of one generator together.
type expressions struct{ left int }

// compile reads a regular expression, which matches anywhere in a text. One
// that is absent stays nil.
func (e *expressions) compile(name string, text *string, to **bounded.Expression) error {
	if text == nil {
		return nil
	}
	read, err := bounded.CompileUpTo(*text, e.left)
	if err != nil {
		return problemf(gitops.Invalid, "cannot read %s of a filter: %w", word(name), err).
			Do("write a regular expression of Go")
	}
	e.left -= read.Size
	*to = read
	return nil
}

// question is whether an expression is found in one of some texts.
type question struct {
	expression *bounded.Expression
	texts      []string
}

// allMatch reports whether each expression that is there is found.
func allMatch(m *bounded.Matching, questions ...question) (bool, error) {
	for _, q := range questions {
		if q.expression == nil {
			continue
		}
		ok, err := anyMatches(m, q)
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func anyMatches(m *bounded.Matching, q question) (bool, error) {
	for _, text := range q.texts {
		ok, err := m.Match(q.expression, text)
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (f repoFilters) keepRepository(r gitops.HostRepository) (bool, error) {
	for _, filter := range f.repositories {
		ok, err := allMatch(f.matching, question{filter.repository, []string{r.Repository}}, question{filter.label, r.Labels})
		if ok || err != nil {
			return ok, err
		}
	}
	return len(f.repositories) == 0, nil
}

func (f repoFilters) keepBranch(ctx context.Context, forge Forge, b gitops.HostRepository) (bool, error) {
	for _, filter := range f.branches {
		ok, err := filter.keepsBranch(ctx, f.matching, forge, b)
		if ok || err != nil {
			return ok, err
		}
	}
	return len(f.branches) == 0, nil
}

func (f repoFilter) keepsBranch(ctx context.Context, m *bounded.Matching, forge Forge, b gitops.HostRepository) (bool, error) {
	if ok, err := allMatch(m, question{f.branch, []string{b.Branch}}); !ok || err != nil {
		return false, err
	}
	for i, path := range slices.Concat(f.there, f.absent) {
		has, err := forge.HasPath(ctx, b, strings.TrimRight(path, "/"))
		if wanted := i < len(f.there); err != nil || has != wanted {
			return false, err
		}
	}
	return true, nil
}
