package github

import (
	"context"
	"slices"

	"github.com/google/go-github/v74/github"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// PullRequests implements host.Reviews: the open ones, drafts and those of
// forks too.
func (c *Client) PullRequests(ctx context.Context) ([]gitops.PullRequest, error) {
	return wire.Pages(c.subject, 1, func(page int) ([]gitops.PullRequest, int, error) {
		items, res, err := c.api.PullRequests.List(ctx, c.o.Owner, c.o.Repository, &github.PullRequestListOptions{ListOptions: github.ListOptions{Page: page, PerPage: pageSize}})
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(p *github.PullRequest) (gitops.PullRequest, bool, error) {
			r := pullRequest(p)
			return r, has(r.Labels, c.o.Labels), nil
		})
		return kept, next(res), err
	})
}

func pullRequest(p *github.PullRequest) gitops.PullRequest {
	var labels []string
	for _, l := range p.Labels {
		labels = append(labels, l.GetName())
	}
	return gitops.PullRequest{
		Number: int64(p.GetNumber()), Title: p.GetTitle(), Author: p.GetUser().GetLogin(), Labels: labels,
		Branch: p.GetHead().GetRef(), TargetBranch: p.GetBase().GetRef(), HeadSHA: p.GetHead().GetSHA(),
		Created: p.GetCreatedAt().Time, Updated: p.GetUpdatedAt().Time,
	}
}

func has(labels, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(labels, w) })
}
