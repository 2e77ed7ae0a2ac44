package bitbucketserver

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/bitbucket/rest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// page is one of a listing; both pointers have to be there.
type page[T any] struct {
	Values *[]T  `json:"values"`
	Last   *bool `json:"isLastPage"`
	Next   int   `json:"nextPageStart"`
}

type repository struct {
	ID       int    `json:"id"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	Archived bool   `json:"archived"`
	Project  struct {
		Key string `json:"key"`
	} `json:"project"`
	Links struct {
		Clone []link `json:"clone"`
	} `json:"links"`
}

type link struct {
	Name string `json:"name"`
	Href string `json:"href"`
}

type branch struct {
	Name   string `json:"displayId"`
	Commit string `json:"latestCommit"`
}

// Repositories implements host.Forge.
func (c *Client) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := c.Names(ctx)
	if err != nil {
		return nil, err
	}
	return c.Heads(ctx, all)
}

// Names implements host.Lister. The listing does not name default branches:
// Heads does.
func (c *Client) Names(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := list[repository](ctx, c.api, nil, "projects", c.project, "repos")
	if err != nil {
		return nil, err
	}
	out := make([]gitops.HostRepository, 0, len(all))
	for _, r := range all {
		if r.Slug == "" || r.Project.Key == "" {
			return nil, c.api.Malformed()
		}
		out = append(out, gitops.HostRepository{Organization: r.Project.Key, Repository: r.Name, ID: strconv.Itoa(r.ID), URL: c.cloneURL(r), Archived: r.Archived})
	}
	return out, nil
}

// cloneURL is empty where the server does not offer the protocol.
func (c *Client) cloneURL(r repository) string {
	for _, l := range r.Links.Clone {
		if l.Name == c.scheme {
			return l.Href
		}
	}
	return ""
}

// Heads implements host.Lister.
func (c *Client) Heads(ctx context.Context, all []gitops.HostRepository) ([]gitops.HostRepository, error) {
	return wire.Map(ctx, c.api.Subject(), all, c.head)
}

// head is false where there is no default branch: the server answers 204 for
// an empty repository and 404 for a default branch that was deleted.
func (c *Client) head(ctx context.Context, r gitops.HostRepository) (gitops.HostRepository, bool, error) {
	var b branch
	err := c.api.Get(ctx, c.address(r, nil, "branches", "default"), &b)
	if wire.IsNotFound(err) || errors.Is(err, rest.ErrNoContent) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	if b.Name == "" || b.Commit == "" {
		return r, false, c.api.Malformed()
	}
	r.Branch, r.SHA = b.Name, b.Commit
	return r, true, nil
}

// Branches implements host.Forge. A repository without a default branch has
// none, as it has none for Argo CD.
func (c *Client) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	if r.Branch == "" {
		if _, ok, err := c.head(ctx, r); err != nil || !ok {
			return nil, err
		}
	}
	branches, err := list[branch](ctx, c.api, nil, "projects", r.Organization, "repos", slug(r), "branches")
	if err != nil {
		return nil, err
	}
	out := make([]gitops.HostRepository, 0, len(branches))
	for _, b := range branches {
		if b.Name == "" || b.Commit == "" {
			return nil, c.api.Malformed()
		}
		r.Branch, r.SHA = b.Name, b.Commit
		out = append(out, r)
	}
	return out, nil
}

// HasPath implements host.Forge.
func (c *Client) HasPath(ctx context.Context, r gitops.HostRepository, file string) (bool, error) {
	file, err := wire.Path(file)
	if err != nil || file == "" {
		return err == nil, err
	}
	query := url.Values{"at": {r.Branch}, "type": {"true"}}
	return c.api.Exists(ctx, c.address(r, query, append([]string{"browse"}, strings.Split(file, "/")...)...))
}

func (c *Client) address(r gitops.HostRepository, query url.Values, segments ...string) string {
	return c.api.Address(query, append([]string{"projects", r.Organization, "repos", slug(r)}, segments...)...)
}

// slug is how addresses name a repository. Templates know its name, which may
// hold spaces; the address to clone from ends with the slug.
func slug(r gitops.HostRepository) string {
	if u, err := url.Parse(r.URL); err == nil && u.Host != "" {
		return strings.TrimSuffix(path.Base(u.Path), ".git")
	}
	return r.Repository
}

// list reads all pages of a listing.
func list[T any](ctx context.Context, api *rest.Reader, query url.Values, segments ...string) ([]T, error) {
	return wire.Pages(api.Subject(), 0, func(start int) ([]T, int, error) {
		at := url.Values{"limit": {"100"}, "start": {strconv.Itoa(start)}}
		for k, v := range query {
			at[k] = v
		}
		var p page[T]
		if err := api.Get(ctx, api.Address(at, segments...), &p); err != nil {
			return nil, 0, err
		}
		if p.Values == nil || p.Last == nil || !*p.Last && p.Next <= start {
			return nil, 0, api.Malformed()
		}
		if *p.Last {
			return *p.Values, 0, nil
		}
		return *p.Values, p.Next, nil
	})
}
