package gitea

import (
	"context"
	"slices"
	"strconv"
	"time"

	"code.gitea.io/sdk/gitea"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// PullRequests implements host.Reviews: the open ones, drafts and those of
// forks too.
func (c *Client) PullRequests(ctx context.Context) ([]gitops.PullRequest, error) {
	return list(ctx, c, func(p *gitea.PullRequest) string { return strconv.FormatInt(p.Index, 10) }, func(api *gitea.Client, o gitea.ListOptions) ([]*gitea.PullRequest, *gitea.Response, error) {
		return api.ListRepoPullRequests(c.o.Owner, c.o.Repository, gitea.ListPullRequestsOptions{ListOptions: o, State: gitea.StateOpen})
	}, func(p *gitea.PullRequest) (gitops.PullRequest, bool, error) {
		r := pullRequest(p)
		return r, has(r.Labels, c.o.Labels), nil
	})
}

func pullRequest(p *gitea.PullRequest) gitops.PullRequest {
	r := gitops.PullRequest{Number: p.Index, Title: p.Title, Labels: names(p.Labels), Created: at(p.Created), Updated: at(p.Updated)}
	if p.Head != nil {
		r.Branch, r.HeadSHA = p.Head.Ref, p.Head.Sha
	}
	if p.Base != nil {
		r.TargetBranch = p.Base.Ref
	}
	if p.Poster != nil {
		r.Author = p.Poster.UserName
	}
	return r
}

func has(labels, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(labels, w) })
}

func at(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
