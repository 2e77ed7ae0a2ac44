package gitea

import (
	"context"
	"net/http"
	"strconv"

	"code.gitea.io/sdk/gitea"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/markedcomment"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Comment implements host.Commenter for the pull request Number. Gitea
// documents no limit for a text.
func (c *Client) Comment(ctx context.Context, marker, markdown string) (string, error) {
	text, err := markedcomment.Body(marker, markdown, 0)
	if err != nil {
		return "", err
	}
	old, err := c.comment(ctx, marker)
	if err != nil {
		return "", c.explain(err)
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

// comment finds the first one with the marker that the token's user wrote, or
// nil: anybody may write the marker.
func (c *Client) comment(ctx context.Context, marker string) (*gitea.Comment, error) {
	candidates, err := list(ctx, c, func(one *gitea.Comment) string { return strconv.FormatInt(one.ID, 10) }, func(api *gitea.Client, o gitea.ListOptions) ([]*gitea.Comment, *gitea.Response, error) {
		return api.ListIssueComments(c.o.Owner, c.o.Repository, c.o.Number, gitea.ListIssueCommentOptions{ListOptions: o})
	}, func(one *gitea.Comment) (*gitea.Comment, bool, error) {
		return one, markedcomment.In(one.Body, marker) && one.Poster != nil, nil
	})
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, nil //nolint:nilnil // there is none yet
	}
	self, unknown := c.self(ctx)
	for _, one := range candidates {
		if one.Poster.ID == self {
			return one, nil
		}
	}
	return nil, unknown
}

// actions is the number of the user that the tokens of workflows write as, in
// Gitea and Forgejo. Nobody can register as it.
const actions = -2

// self is the number of the token's user. A token may write comments without
// the right to read its user; it may be one of a workflow then, so the error
// counts only if that one has no comment.
func (c *Client) self(ctx context.Context) (int64, error) {
	api, err := c.api(ctx)
	if err != nil {
		return 0, c.explain(err)
	}
	user, _, err := api.GetMyUserInfo()
	switch code := wire.Code(err); {
	case code == http.StatusForbidden || code == http.StatusNotFound:
		return actions, gitops.Problemf(gitops.Refused, "cannot tell which comments at %s are the token's own: it may not read its user", c.subject).
			Do("give the token the scope read:user, too")
	case err != nil:
		return 0, c.explain(err)
	}
	return user.ID, nil
}
