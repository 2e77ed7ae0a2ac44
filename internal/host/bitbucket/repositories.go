package bitbucket

import (
	"context"
	"net/url"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/bitbucket/rest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// page is one of a listing; next is the address of the following one.
type page[T any] struct {
	Values *[]T   `json:"values"`
	Next   string `json:"next"`
}

type repository struct {
	UUID       string `json:"uuid"`
	Slug       string `json:"slug"`
	Mainbranch *struct {
		Name string `json:"name"`
	} `json:"mainbranch"`
	Links struct {
		Clone []link `json:"clone"`
	} `json:"links"`
}

type link struct {
	Name string `json:"name"`
	Href string `json:"href"`
}

type branch struct {
	Name   string `json:"name"`
	Target struct {
		Hash string `json:"hash"`
	} `json:"target"`
}

// Repositories implements host.Forge.
func (c *Client) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := c.Names(ctx)
	if err != nil {
		return nil, err
	}
	return c.Heads(ctx, all)
}

// Names implements host.Lister: the repositories of the workspace that the
// user is a member of.
func (c *Client) Names(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := list[repository](ctx, c.api, url.Values{"role": {"member"}, "pagelen": {"100"}}, "repositories", c.o.Owner)
	if err != nil {
		return nil, err
	}
	var out []gitops.HostRepository
	for _, r := range all {
		if r.Slug == "" {
			return nil, c.api.Malformed()
		}
		if r.Mainbranch == nil || r.Mainbranch.Name == "" {
			continue // nothing was ever pushed to it
		}
		address, err := c.cloneURL(r)
		if err != nil {
			return nil, err
		}
		out = append(out, gitops.HostRepository{Organization: c.o.Owner, Repository: r.Slug, ID: r.UUID, URL: address, Branch: r.Mainbranch.Name})
	}
	return out, nil
}

// Heads implements host.Lister. A main branch that does not exist is an error,
// as it is for Argo CD: the API tells empty repositories by naming none.
func (c *Client) Heads(ctx context.Context, all []gitops.HostRepository) ([]gitops.HostRepository, error) {
	return wire.Map(ctx, c.api.Subject(), all, func(ctx context.Context, r gitops.HostRepository) (gitops.HostRepository, bool, error) {
		b, err := c.branch(ctx, r)
		r.SHA = b.Target.Hash
		return r, true, err
	})
}

func (c *Client) cloneURL(r repository) (string, error) {
	for _, l := range r.Links.Clone {
		if l.Name == c.o.CloneProtocol {
			return l.Href, nil
		}
	}
	return "", gitops.Problemf(gitops.Invalid, "cannot read %s: repository %s has no address for cloneProtocol %s", c.api.Subject(), r.Slug, c.o.CloneProtocol).Do("set another cloneProtocol")
}

// Branches implements host.Forge.
func (c *Client) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	branches, err := list[branch](ctx, c.api, url.Values{"pagelen": {"100"}}, "repositories", c.o.Owner, r.Repository, "refs", "branches")
	if err != nil {
		return nil, err
	}
	out := make([]gitops.HostRepository, 0, len(branches))
	for _, b := range branches {
		if b.Name == "" || b.Target.Hash == "" {
			return nil, c.api.Malformed()
		}
		r.Branch, r.SHA = b.Name, b.Target.Hash
		out = append(out, r)
	}
	return out, nil
}

// branch asks for one branch. The slashes of its name stay as they are.
func (c *Client) branch(ctx context.Context, r gitops.HostRepository) (branch, error) {
	var b branch
	segments := append([]string{"repositories", c.o.Owner, r.Repository, "refs", "branches"}, strings.Split(r.Branch, "/")...)
	err := c.api.Get(ctx, c.api.Address(nil, segments...), &b)
	if err == nil && b.Target.Hash == "" {
		err = c.api.Malformed()
	}
	return b, err
}

// HasPath implements host.Forge. The API takes a commit: a branch with a slash
// in its name would run into the path.
func (c *Client) HasPath(ctx context.Context, r gitops.HostRepository, file string) (bool, error) {
	file, err := wire.Path(file)
	if err != nil || file == "" {
		return err == nil, err
	}
	if r.SHA == "" {
		b, err := c.branch(ctx, r)
		if err != nil {
			return false, err
		}
		r.SHA = b.Target.Hash
	}
	segments := append([]string{"repositories", c.o.Owner, r.Repository, "src", r.SHA}, strings.Split(file, "/")...)
	return c.api.Exists(ctx, c.api.Address(url.Values{"format": {"meta"}}, segments...))
}

// list reads all pages of a listing.
func list[T any](ctx context.Context, api *rest.Reader, query url.Values, segments ...string) ([]T, error) {
	return wire.Pages(api.Subject(), api.Address(query, segments...), func(address string) ([]T, string, error) {
		var p page[T]
		if err := api.Get(ctx, address, &p); err != nil {
			return nil, "", err
		}
		if p.Values == nil {
			return nil, "", api.Malformed()
		}
		return *p.Values, p.Next, nil
	})
}
