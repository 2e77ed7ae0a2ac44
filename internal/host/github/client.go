// Package github asks GitHub, and GitHub Enterprise, for repositories and pull
// requests, and writes comments.
//
// What it lists follows Argo CD's generators; it filters by labels of pull
// requests and nothing else.
package github

import (
	"context"
	"net/http"

	"github.com/google/go-github/v74/github"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

const (
	public   = "https://api.github.com"
	pageSize = 100
	// longestComment is GitHub's limit, in characters.
	longestComment = 65536
)

// Options say what is asked for. Organization is for repositories; Owner and
// Repository for pull requests, with Number for the comments of one.
type Options struct {
	// API is the address of GitHub Enterprise; github.com when empty.
	API string
	// Token is asked before each request; nobody signs in when it is nil or
	// gives an empty text. It may be a GitHub App's.
	Token func(context.Context) (string, error)

	Organization string
	// CloneProtocol is ssh, the default, or https.
	CloneProtocol        string
	ExcludeArchivedRepos bool

	Owner, Repository string
	// Labels that a pull request has to have, all of them.
	Labels []string
	Number int

	// HTTP tells how to reach the host; Subject, Host, JSON and Sign are set here.
	HTTP wire.Options
}

// Client speaks with GitHub.
type Client struct {
	o       Options
	api     *github.Client
	subject string
}

// New makes a Client. It asks nothing yet.
func New(o Options) (*Client, error) {
	if o.CloneProtocol != "" && o.CloneProtocol != "ssh" && o.CloneProtocol != "https" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot clone from GitHub by %q", o.CloneProtocol).Do("set cloneProtocol to ssh or https")
	}
	if err := named(o); err != nil {
		return nil, err
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
	c.api = github.NewClient(client)
	if o.API != "" {
		// Adds the path of Enterprise, /api/v3/, where it is missing.
		if c.api, err = c.api.WithEnterpriseURLs(u.String(), u.String()); err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "the api address of %s cannot be used: %w", c.subject, err)
		}
	}
	c.api.DisableRateLimitCheck = true // the transport keeps to limits, and waits
	return c, nil
}

// named checks the names that become parts of addresses as they stand.
func named(o Options) error {
	names := map[string]string{"owner": o.Owner, "repo": o.Repository}
	if o.Organization != "" || o.Owner+o.Repository == "" {
		names = map[string]string{"organization": o.Organization}
	}
	for field, name := range names {
		if err := wire.Name(field, name); err != nil {
			return err
		}
	}
	return nil
}

func subject(o Options, host string) string {
	if o.Organization != "" {
		return "GitHub organisation " + o.Organization + " (" + host + ")"
	}
	return "GitHub repository " + o.Owner + "/" + o.Repository + " (" + host + ")"
}

func (c *Client) sign(req *http.Request) error {
	if c.o.Token == nil {
		return nil
	}
	token, err := c.o.Token(req.Context())
	if err != nil || token == "" {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return nil
}

func (c *Client) explain(err error) error { return wire.Explain(c.subject, err) }
