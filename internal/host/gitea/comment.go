package gitea

import (
	"context"
	"strconv"

	"code.gitea.io/sdk/gitea"

	"github.com/causeway-gitops/causeway/internal/host/marked"
)

// Comment implements host.Commenter for the pull request Number. Gitea
// documents no limit for a text.
func (c *Client) Comment(ctx context.Context, marker, markdown string) (string, error) {
	text, err := marked.Body(marker, markdown, 0)
	if err != nil {
		return "", err
	}
	old, err := c.comment(ctx, marker)
	if err != nil {
		return "", err
	}
	api, err := c.api(ctx)
	if err != nil {
		return "", c.explain(err)
	}
	var written *gitea.Comment
	if old == nil {
		written, _, err = api.CreateIssueComment(c.o.Owner, c.o.Repository, c.o.Number, gitea.CreateIssueCommentOption{Body: text})
	}
	if old != nil {
		written, _, err = api.EditIssueComment(c.o.Owner, c.o.Repository, old.ID, gitea.EditIssueCommentOption{Body: text})
	}
	if err != nil {
		return "", c.explain(err)
	}
	return written.HTMLURL, nil
}

// comment finds the first one with the marker, or nil.
func (c *Client) comment(ctx context.Context, marker string) (*gitea.Comment, error) {
	all, err := list(ctx, c, func(one *gitea.Comment) string { return strconv.FormatInt(one.ID, 10) }, func(api *gitea.Client, o gitea.ListOptions) ([]*gitea.Comment, *gitea.Response, error) {
		return api.ListIssueComments(c.o.Owner, c.o.Repository, c.o.Number, gitea.ListIssueCommentOptions{ListOptions: o})
	})
	for _, one := range all {
		if marked.In(one.Body, marker) {
			return one, nil
		}
	}
	return nil, err
}
