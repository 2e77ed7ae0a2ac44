package gitlab

import (
	"context"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// PullRequests implements host.Reviews: merge requests in PullRequestState,
// drafts and those of forks too.
func (c *Client) PullRequests(ctx context.Context) ([]gitops.PullRequest, error) {
	o := &gitlab.ListProjectMergeRequestsOptions{}
	if len(c.o.Labels) > 0 {
		labels := gitlab.LabelOptions(c.o.Labels)
		o.Labels = &labels
	}
	if c.o.PullRequestState != "" {
		o.State = &c.o.PullRequestState
	}
	return wire.Pages(c.subject, 1, func(page int64) ([]gitops.PullRequest, int64, error) {
		o.Page, o.PerPage = page, pageSize
		items, res, err := c.api.MergeRequests.ListProjectMergeRequests(c.o.Project, o, gitlab.WithContext(ctx))
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(m *gitlab.BasicMergeRequest) (gitops.PullRequest, bool, error) { return mergeRequest(m), true, nil })
		return kept, next(res), err
	})
}

func mergeRequest(m *gitlab.BasicMergeRequest) gitops.PullRequest {
	r := gitops.PullRequest{
		Number: m.IID, Title: m.Title, Branch: m.SourceBranch, TargetBranch: m.TargetBranch, HeadSHA: m.SHA, Labels: m.Labels,
		Created: at(m.CreatedAt), Updated: at(m.UpdatedAt),
	}
	if m.Author != nil {
		r.Author = m.Author.Username
	}
	return r
}

func at(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
