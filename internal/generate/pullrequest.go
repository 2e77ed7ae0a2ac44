package generate

import (
	"errors"
	"slices"
	"strconv"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
)

type pullRequestKind struct{}

func (pullRequestKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.PullRequest == nil {
		return nil
	}
	return &g.PullRequest.Template
}

// params has a set for each open pull request that the filters keep.
func (pullRequestKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	if r.hosts == nil {
		return nil, offline("pullRequest", "Git hosts")
	}
	if err := r.asksReviews(g.PullRequest); err != nil {
		return nil, err
	}
	filters, err := readPullFilters(g.PullRequest.Filters)
	if err != nil {
		return nil, err
	}
	found, err := r.pullRequests(g.PullRequest)
	if err != nil {
		return nil, err
	}
	var out []paramSet
	for _, pull := range found {
		keep, err := keepsPull(r.expressions, filters, pull)
		if err != nil {
			return nil, errorf("cannot filter pull requests: %w", err)
		}
		if !keep {
			continue
		}
		p := r.pullParams(pull)
		if err := r.addValues(p, g.PullRequest.Values); err != nil {
			return nil, errorf("cannot render values for pull request %d: %w", pull.Number, err)
		}
		if out, err = r.keep(out, p, weigh(p)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *run) pullRequests(g *v1alpha1.PullRequestGenerator) ([]gitops.PullRequest, error) {
	reviews, err := r.hosts.Reviews(r.ctx, r.set.Namespace, g)
	if err != nil {
		return nil, unreachable(errorf("cannot open the Git host of the pullRequest generator: %w", err))
	}
	found, err := seat.Away(r.ctx, "", reviews.PullRequests)
	if err == nil {
		return found, (&listed{of: "pullRequest", fix: "name labels that fewer pull requests have, or close some"}).take(found)
	}
	if g.ContinueOnRepoNotFoundError && gitops.IsProblem(err, gitops.NotFound) {
		r.warnf("RepositoryNotFound", "%s: the repository of a pullRequest generator does not exist, so it gives nothing: %v", word(r.at()), err)
		return nil, nil
	}
	return nil, unreachable(errorf("cannot list pull requests: %w", err))
}

// pullParams are texts, but for the labels: these are a list, and there only
// with Go templates.
func (r *run) pullParams(pull gitops.PullRequest) Params {
	p := Params{
		"number": strconv.FormatInt(pull.Number, 10), "title": pull.Title, "author": pull.Author,
		"branch": pull.Branch, "branch_slug": branchSlug(pull.Branch),
		"target_branch": pull.TargetBranch, "target_branch_slug": branchSlug(pull.TargetBranch),
		"head_sha": pull.HeadSHA, "head_short_sha": cut(pull.HeadSHA, shortCommit), "head_short_sha_7": cut(pull.HeadSHA, shorterCommit),
	}
	if r.set.Spec.GoTemplate {
		p["labels"] = slices.Clone(pull.Labels)
	}
	return p
}

type pullFilter struct{ branch, target, title *bounded.Expression }

func readPullFilters(filters []v1alpha1.PullRequestGeneratorFilter) ([]pullFilter, error) {
	out := make([]pullFilter, len(filters))
	all := &expressions{left: bounded.MostSize}
	for i, f := range filters {
		err := errors.Join(
			all.compile("branchMatch", f.BranchMatch, &out[i].branch),
			all.compile("targetBranchMatch", f.TargetBranchMatch, &out[i].target),
			all.compile("titleMatch", f.TitleMatch, &out[i].title),
		)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keepsPull: one filter has to match, with all its parts.
func keepsPull(m *bounded.Matching, filters []pullFilter, pull gitops.PullRequest) (bool, error) {
	for _, f := range filters {
		ok, err := allMatch(m, question{f.branch, []string{pull.Branch}}, question{f.target, []string{pull.TargetBranch}}, question{f.title, []string{pull.Title}})
		if ok || err != nil {
			return ok, err
		}
	}
	return len(filters) == 0, nil
}
