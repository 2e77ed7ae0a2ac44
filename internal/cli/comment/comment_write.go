package comment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/host/gitea"
	"github.com/causeway-gitops/causeway/internal/host/github"
	"github.com/causeway-gitops/causeway/internal/host/gitlab"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// write puts a text into the comment with the mark, and returns its address.
func (t thread) write(ctx context.Context, mark, text string) (string, error) {
	client, err := t.open()
	if err != nil {
		return "", t.explain(err)
	}
	at, err := client.Comment(ctx, mark, text)
	return at, t.explain(err)
}

func (t thread) open() (host.Commenter, error) {
	token := func(context.Context) (string, error) { return t.token.Reveal(), nil }
	owner, name, _ := strings.Cut(t.repo, "/")
	switch t.host {
	case hostGitHub:
		return github.New(github.Options{API: t.api, Token: token, Owner: owner, Repository: name, Number: t.number})
	case hostGitLab:
		return gitlab.New(gitlab.Options{API: t.api, Token: token, Project: t.repo, Number: int64(t.number)})
	}
	return gitea.New(gitea.Options{API: t.api, Token: token, Owner: owner, Repository: name, Number: int64(t.number)})
}

// explain says what a person who set up the job can do.
func (t thread) explain(err error) error {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return err
	}
	code := wire.Code(err)
	switch {
	case p.Kind == gitops.Refused && code == http.StatusUnauthorized:
		return p.Do("check the token: it is wrong, or not valid any more")
	case p.Kind == gitops.Refused && code == http.StatusForbidden:
		return p.Do(t.mayComment())
	case p.Kind == gitops.NotFound:
		return p.Do(fmt.Sprintf("check that %s has the pull request %d, and that the token may see it", t.repo, t.number))
	case errors.Is(err, wire.ErrUntrusted):
		return p.Do("name the file of the server's certificate authority in SSL_CERT_FILE")
	case p.Kind == gitops.Unreachable:
		return p.Do("run the job again later, or correct --api")
	}
	return p
}

// mayComment says how the token gets the right to comment.
func (t thread) mayComment() string {
	switch {
	case t.fork && t.host != hostGitLab:
		return "the pull request comes from a fork, for which a workflow gets a token that can only read: skip the comment there, and show the text in the job's summary"
	case t.host == hostGitHub:
		return "give the job `permissions: {contents: read, pull-requests: write}`"
	case t.host == hostGitLab:
		return "use a project access token with the scope api and the role Reporter or higher; CI_JOB_TOKEN may not comment"
	}
	return "use a token that may write issues and pull requests"
}
