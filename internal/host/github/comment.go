package github

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/go-github/v74/github"

	"github.com/causeway-gitops/causeway/internal/host/markedcomment"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Comment implements host.Commenter for the pull request Number.
func (c *Client) Comment(ctx context.Context, marker, markdown string) (string, error) {
	text, err := markedcomment.Body(marker, markdown, longestComment)
	if err != nil {
		return "", err
	}
	old, err := c.comment(ctx, marker)
	if err != nil {
		return "", c.explain(err)
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

// comment finds the first one with the marker that the token's user wrote, or
// nil: anybody may write the marker.
func (c *Client) comment(ctx context.Context, marker string) (*github.IssueComment, error) {
	candidates, err := wire.Pages(c.subject, 1, func(page int) ([]*github.IssueComment, int, error) {
		items, res, err := c.api.Issues.ListComments(ctx, c.o.Owner, c.o.Repository, c.o.Number, &github.IssueListCommentsOptions{ListOptions: github.ListOptions{Page: page, PerPage: pageSize}})
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(one *github.IssueComment) (*github.IssueComment, bool, error) {
			return one, markedcomment.In(one.GetBody(), marker), nil
		})
		return kept, next(res), err
	})
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, nil //nolint:nilnil // there is none yet
	}
	own, err := c.own(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range candidates {
		if own(one.GetUser()) {
			return one, nil
		}
	}
	return nil, nil //nolint:nilnil // those there are of others
}

// own tells who the token's user is. GitHub does not answer tokens of apps,
// such as that of a workflow, with a user: they write as "<app>[bot]", a name
// that no person can have. Which app it is cannot be asked, so those of all
// apps are taken: an app in the repository would have to repeat what a person
// wrote, line by line.
func (c *Client) own(ctx context.Context) (func(*github.User) bool, error) {
	self, _, err := c.api.Users.Get(ctx, "")
	switch {
	case wire.Code(err) == http.StatusForbidden:
		return bot, nil
	case err != nil:
		return nil, err
	}
	return func(u *github.User) bool { return u.GetID() == self.GetID() }, nil
}

func bot(u *github.User) bool {
	return u.GetType() == "Bot" && strings.HasSuffix(u.GetLogin(), "[bot]")
}
