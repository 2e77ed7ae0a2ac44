package gitlab

import (
	"context"
	"fmt"

	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/causeway-gitops/causeway/internal/host/markedcomment"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Comment implements host.Commenter for the merge request Number.
func (c *Client) Comment(ctx context.Context, marker, markdown string) (string, error) {
	text, err := markedcomment.Body(marker, markdown, longestNote)
	if err != nil {
		return "", err
	}
	request, _, err := c.api.MergeRequests.GetMergeRequest(c.o.Project, c.o.Number, nil, gitlab.WithContext(ctx))
	if err != nil {
		return "", c.explain(err)
	}
	old, err := c.note(ctx, marker)
	if err != nil {
		return "", c.explain(err)
	}
	var written *gitlab.Note
	if old == nil {
		written, _, err = c.api.Notes.CreateMergeRequestNote(c.o.Project, c.o.Number, &gitlab.CreateMergeRequestNoteOptions{Body: &text}, gitlab.WithContext(ctx))
	}
	if old != nil {
		written, _, err = c.api.Notes.UpdateMergeRequestNote(c.o.Project, c.o.Number, old.ID, &gitlab.UpdateMergeRequestNoteOptions{Body: &text}, gitlab.WithContext(ctx))
	}
	if err != nil {
		return "", c.explain(err)
	}
	return fmt.Sprintf("%s#note_%d", request.WebURL, written.ID), nil
}

// note finds the first one with the marker that the token's user wrote, or
// nil: anybody may write the marker. Each project access token is a user of
// its own, so notes of a token that was replaced by another stay as they are.
func (c *Client) note(ctx context.Context, marker string) (*gitlab.Note, error) {
	candidates, err := wire.Pages(c.subject, 1, func(page int64) ([]*gitlab.Note, int64, error) {
		items, res, err := c.api.Notes.ListMergeRequestNotes(c.o.Project, c.o.Number, &gitlab.ListMergeRequestNotesOptions{ListOptions: gitlab.ListOptions{Page: page, PerPage: pageSize}}, gitlab.WithContext(ctx))
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(one *gitlab.Note) (*gitlab.Note, bool, error) {
			return one, !one.System && markedcomment.In(one.Body, marker), nil
		})
		return kept, next(res), err
	})
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, nil //nolint:nilnil // there is none yet
	}
	self, _, err := c.api.Users.CurrentUser(gitlab.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	for _, one := range candidates {
		if one.Author.ID == self.ID {
			return one, nil
		}
	}
	return nil, nil //nolint:nilnil // those there are of others
}
