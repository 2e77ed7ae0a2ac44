package bitbucket

import (
	"context"
	"net/url"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

type pullRequest struct {
	ID          int64     `json:"id"`
	Title       string    `json:"title"`
	Source      end       `json:"source"`
	Destination end       `json:"destination"`
	Created     time.Time `json:"created_on"`
	Updated     time.Time `json:"updated_on"`
	Author      struct {
		Nickname string `json:"nickname"`
	} `json:"author"`
}

// end is the branch that a pull request comes from or goes to.
type end struct {
	Branch struct {
		Name string `json:"name"`
	} `json:"branch"`
	Commit struct {
		Hash string `json:"hash"`
	} `json:"commit"`
}

// PullRequests lists the open pull requests of the repository. Their commits
// are as the API abbreviates them, to 12 digits, and as templates know them
// from Argo CD. Bitbucket Cloud has no labels.
func (r *Reviews) PullRequests(ctx context.Context) ([]gitops.PullRequest, error) {
	all, err := list[pullRequest](ctx, r.api, url.Values{"state": {"OPEN"}, "pagelen": {"50"}}, "repositories", r.o.Owner, r.o.Repo, "pullrequests")
	if err != nil {
		return nil, err
	}
	out := make([]gitops.PullRequest, 0, len(all))
	for _, p := range all {
		if p.ID == 0 {
			return nil, r.api.Malformed()
		}
		out = append(out, gitops.PullRequest{
			Number: p.ID, Title: p.Title, Author: p.Author.Nickname,
			Branch: p.Source.Branch.Name, TargetBranch: p.Destination.Branch.Name, HeadSHA: p.Source.Commit.Hash,
			Created: p.Created, Updated: p.Updated,
		})
	}
	return out, nil
}
