package bitbucketserver

import (
	"context"
	"net/url"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

type pullRequest struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	From  branch `json:"fromRef"`
	To    branch `json:"toRef"`
	// Milliseconds since 1970.
	Created int64 `json:"createdDate"`
	Updated int64 `json:"updatedDate"`
	Author  struct {
		User struct {
			Name string `json:"name"`
		} `json:"user"`
	} `json:"author"`
}

// PullRequests implements host.Reviews. Bitbucket Server has no labels.
func (r *Reviews) PullRequests(ctx context.Context) ([]gitops.PullRequest, error) {
	all, err := list[pullRequest](ctx, r.api, url.Values{"state": {"OPEN"}}, "projects", r.o.Project, "repos", r.o.Repo, "pull-requests")
	if err != nil {
		return nil, err
	}
	out := make([]gitops.PullRequest, 0, len(all))
	for _, p := range all {
		if p.ID == 0 {
			return nil, r.api.Malformed()
		}
		out = append(out, gitops.PullRequest{
			Number: p.ID, Title: p.Title, Author: p.Author.User.Name,
			Branch: p.From.Name, TargetBranch: p.To.Name, HeadSHA: p.From.Commit,
			Created: moment(p.Created), Updated: moment(p.Updated),
		})
	}
	return out, nil
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
