package github

import (
	"context"

	"github.com/google/go-github/v74/github"

	"github.com/causeway-gitops/causeway/internal/host/marked"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Comment implements host.Commenter for the pull request Number.
func (c *Client) Comment(ctx context.Context, marker, markdown string) (string, error) {
	text, err := marked.Body(marker, markdown, longestComment)
	if err != nil {
		return "", err
	}
	old, err := c.comment(ctx, marker)
	if err != nil {
		return "", err
	}
	body := &github.IssueComment{Body: &text}
	var written *github.IssueComment
	if old == nil {
		written, _, err = c.api.Issues.CreateComment(ctx, c.o.Owner, c.o.Repository, c.o.Number, body)
	}
	if old != nil {
		written, _, err = c.api.Issues.EditComment(ctx, c.o.Owner, c.o.Repository, old.GetID(), body)
	}
	if err != nil {
		return "", c.explain(err)
	}
	return written.GetHTMLURL(), nil
}

// comment finds the first one with the marker, or nil.
func (c *Client) comment(ctx context.Context, marker string) (*github.IssueComment, error) {
	all, err := wire.Pages(c.subject, 1, func(page int) ([]*github.IssueComment, int, error) {
		items, res, err := c.api.Issues.ListComments(ctx, c.o.Owner, c.o.Repository, c.o.Number, &github.IssueListCommentsOptions{ListOptions: github.ListOptions{Page: page, PerPage: pageSize}})
		return items, next(res), err
	})
	for _, one := range all {
		if marked.In(one.GetBody(), marker) {
			return one, nil
		}
	}
	return nil, err
}
