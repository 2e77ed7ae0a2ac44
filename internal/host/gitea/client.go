// Package gitea asks Gitea and Forgejo for repositories and pull requests, and
// writes comments.
//
// What it lists follows Argo CD's generators.
package gitea

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"code.gitea.io/sdk/gitea"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// pageSize is Gitea's own limit as it is delivered.
const pageSize = 50

// Options say what is asked for. Owner alone is for repositories; with
// Repository for pull requests, and with Number for the comments of one.
type Options struct {
	// API is the server's address, with or without /api/v1.
	API string
	// Token is asked before each request; nobody signs in when it is nil or
	// gives an empty text.
	Token func(context.Context) (string, error)

	// Owner is an organisation; of pull requests it may be a user.
	Owner string
	// CloneProtocol is ssh, the default, or https.
	CloneProtocol        string
	ExcludeArchivedRepos bool

	Repository string
	// Labels that a pull request has to have, all of them.
	Labels []string
	Number int64

	// HTTP tells how to reach the host; Subject, Host, JSON and Sign are set here.
	HTTP wire.Options
}

// Client speaks with Gitea.
type Client struct {
	o       Options
	address string
	http    *http.Client
	subject string
}

// New makes a Client. It asks nothing yet.
func New(o Options) (*Client, error) {
	if o.CloneProtocol != "" && o.CloneProtocol != "ssh" && o.CloneProtocol != "https" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot clone from Gitea by %q", o.CloneProtocol).Do("set cloneProtocol to ssh or https")
	}
	if err := wire.Name("owner", o.Owner); err != nil {
		return nil, err
	}
	u, err := wire.Address(o.API)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, address: strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/api/v1"), subject: "Gitea organisation " + o.Owner + " (" + u.Host + ")"}
	if o.Repository != "" {
		if err := wire.Name("repo", o.Repository); err != nil {
			return nil, err
		}
		c.subject = "Gitea repository " + o.Owner + "/" + o.Repository + " (" + u.Host + ")"
	}
	o.HTTP.Subject, o.HTTP.Host, o.HTTP.JSON, o.HTTP.Sign = c.subject, u.Host, true, c.sign
	c.http, err = wire.New(o.HTTP)
	return c, err
}

// api is a client for one call: Gitea's keeps the context of the last one. It
// is told not to ask for the server's version first.
func (c *Client) api(ctx context.Context) (*gitea.Client, error) {
	return gitea.NewClient(c.address, gitea.SetGiteaVersion(""), gitea.SetHTTPClient(c.http), gitea.SetContext(ctx))
}

func (c *Client) sign(req *http.Request) error {
	if c.o.Token == nil {
		return nil
	}
	token, err := c.o.Token(req.Context())
	if err != nil || token == "" {
		return err
	}
	req.Header.Set("Authorization", "token "+token)
	return nil
}

func (c *Client) explain(err error) error { return wire.Explain(c.subject, err) }

// list reads a listing to its end: as the Link header says, else when
// X-Total-Count are there, else at an empty page. A short page is not the
// last: servers give fewer than were asked for. The key tells entries apart, to
// notice a server that gives the first page again and again. What convert makes of
// each is kept.
func list[T, R any](ctx context.Context, c *Client, key func(T) string, read func(*gitea.Client, gitea.ListOptions) ([]T, *gitea.Response, error), convert func(T) (R, bool, error)) ([]R, error) {
	api, err := c.api(ctx)
	if err != nil {
		return nil, c.explain(err)
	}
	collected, before := 0, ""
	return wire.Pages(c.subject, 1, func(page int) ([]R, int, error) {
		items, res, err := read(api, gitea.ListOptions{Page: page, PageSize: pageSize})
		if err != nil || len(items) == 0 {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, convert)
		if err != nil {
			return nil, 0, err
		}
		if k := key(items[0]); k == before {
			return nil, 0, gitops.Problemf(gitops.Unreachable, "cannot read %s: the server gives the same page twice", c.subject)
		}
		collected, before = collected+len(items), key(items[0])
		return kept, next(res, page, collected), nil
	})
}

func next(res *gitea.Response, page, collected int) int {
	if res.NextPage != 0 || res.Header.Get("Link") != "" {
		return res.NextPage
	}
	if total, err := strconv.Atoi(res.Header.Get("X-Total-Count")); err == nil && collected >= total {
		return 0
	}
	return page + 1
}
