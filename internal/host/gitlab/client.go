// Package gitlab asks GitLab for projects and merge requests, and writes
// notes.
//
// What it lists follows Argo CD's generators.
package gitlab

import (
	"context"
	"net/http"

	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

const (
	public   = "https://gitlab.com"
	pageSize = 100
	// longestNote is GitLab's limit, in characters.
	longestNote = 1_000_000
)

// Options say what is asked for. Group is for repositories; Project for merge
// requests, with Number for the notes of one.
type Options struct {
	// API is the address of GitLab, with or without /api/v4; gitlab.com when empty.
	API string
	// Token is asked before each request; nobody signs in when it is nil or
	// gives an empty text. Personal, group and project tokens will do.
	Token func(context.Context) (string, error)

	// Group by number or path.
	Group            string
	IncludeSubgroups bool
	// ExcludeSharedProjects leaves out projects of others that are shared
	// with the group. Argo CD includes them by default.
	ExcludeSharedProjects bool
	// Topic keeps only projects of the topic; all when empty.
	Topic                string
	IncludeArchivedRepos bool
	// CloneProtocol is ssh, the default, or https.
	CloneProtocol string

	// Project by number or path.
	Project string
	// Labels that a merge request has to have, all of them.
	Labels []string
	// PullRequestState that a merge request has to be in: opened, closed,
	// locked or merged; any when empty.
	PullRequestState string
	// Number is the merge request's within the project.
	Number int64

	// HTTP tells how to reach the host; Subject, Host, JSON and Sign are set here.
	HTTP wire.Options
}

// Client speaks with GitLab.
type Client struct {
	o       Options
	api     *gitlab.Client
	subject string
}

// unlimited leaves limits to the transport, which waits on a clock of its own.
type unlimited struct{}

func (unlimited) Wait(context.Context) error { return nil }

// New makes a Client. It asks nothing yet.
func New(o Options) (*Client, error) {
	if o.CloneProtocol != "" && o.CloneProtocol != "ssh" && o.CloneProtocol != "https" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot clone from GitLab by %q", o.CloneProtocol).Do("set cloneProtocol to ssh or https")
	}
	if o.Group == "" && o.Project == "" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot ask GitLab: neither a group nor a project is named").Do("set group or project")
	}
	address := o.API
	if address == "" {
		address = public
	}
	u, err := wire.Address(address)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, subject: subject(o, u.Host)}
	o.HTTP.Subject, o.HTTP.Host, o.HTTP.JSON, o.HTTP.Sign = c.subject, u.Host, true, c.sign
	client, err := wire.New(o.HTTP)
	if err != nil {
		return nil, err
	}
	c.api, err = gitlab.NewAuthSourceClient(gitlab.Unauthenticated{}, gitlab.WithBaseURL(u.String()), gitlab.WithHTTPClient(client), gitlab.WithoutRetries(), gitlab.WithCustomLimiter(unlimited{}))
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "the api address of %s cannot be used: %w", c.subject, err)
	}
	return c, nil
}

func subject(o Options, host string) string {
	if o.Group != "" {
		return "GitLab group " + o.Group + " (" + host + ")"
	}
	return "GitLab project " + o.Project + " (" + host + ")"
}

func (c *Client) sign(req *http.Request) error {
	if c.o.Token == nil {
		return nil
	}
	token, err := c.o.Token(req.Context())
	if err != nil || token == "" {
		return err
	}
	req.Header.Set("Private-Token", token)
	return nil
}

func (c *Client) explain(err error) error { return wire.Explain(c.subject, err) }
