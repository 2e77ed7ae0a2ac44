package host

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Values are the keys of Secrets or of ConfigMaps.
type Values interface {
	Value(ctx context.Context, namespace, name, key string) (string, error)
}

// Options say how hosts are reached, and where their credentials are.
type Options struct {
	Secrets    Values
	ConfigMaps Values
	// AppToken finds the GitHub App of a repository Secret, and returns what
	// makes its tokens. The api is the generator's, and may be empty.
	AppToken func(ctx context.Context, namespace, secretName, api string) (func(context.Context) (string, error), error)
	// AllowedHosts are globs for the API addresses that generators may name,
	// or for their hosts where a glob has no scheme; an asterisk stands for a
	// part without a slash. Empty allows all. A host's own address, which no
	// generator names, is always allowed.
	AllowedHosts []string
	// HTTP bounds requests. Its CA is trusted besides those of the generators.
	HTTP wire.Options
}

// Hosts open Git hosts by what generators say.
type Hosts struct{ o Options }

// New makes Hosts. It asks nothing.
func New(o Options) *Hosts { return &Hosts{o} }

// Forge opens the host of a scmProvider generator, whose Secrets are in the
// namespace. It looks late: Repositories lists names, of which some may turn
// out to be empty, without commits; Branches has the branches that the
// generator asks for, with theirs.
func (h *Hosts) Forge(ctx context.Context, namespace string, g *v1alpha1.SCMProviderGenerator) (Forge, error) {
	err := one("scmProvider", g.Github != nil, g.Gitlab != nil, g.Gitea != nil, g.Bitbucket != nil, g.BitbucketServer != nil, g.AzureDevOps != nil, g.AWSCodeCommit != nil)
	if err != nil {
		return nil, err
	}
	c := caller{h.o, ctx, namespace}
	switch {
	case g.Github != nil:
		return c.githubForge(g.Github, g.CloneProtocol)
	case g.Gitlab != nil:
		return c.gitlabForge(g.Gitlab, g.CloneProtocol)
	case g.Gitea != nil:
		return c.giteaForge(g.Gitea, g.CloneProtocol)
	case g.Bitbucket != nil:
		return c.bitbucketForge(g.Bitbucket, g.CloneProtocol)
	case g.BitbucketServer != nil:
		return c.bitbucketServerForge(g.BitbucketServer, g.CloneProtocol)
	case g.AzureDevOps != nil:
		return c.azureForge(g.AzureDevOps)
	default:
		return c.codeCommitForge(g.AWSCodeCommit, g.CloneProtocol)
	}
}

// Reviews opens the host of a pullRequest generator, whose Secrets are in the
// namespace.
func (h *Hosts) Reviews(ctx context.Context, namespace string, g *v1alpha1.PullRequestGenerator) (Reviews, error) {
	err := one("pullRequest", g.Github != nil, g.GitLab != nil, g.Gitea != nil, g.Bitbucket != nil, g.BitbucketServer != nil, g.AzureDevOps != nil)
	if err != nil {
		return nil, err
	}
	c := caller{h.o, ctx, namespace}
	switch {
	case g.Github != nil:
		return c.githubReviews(g.Github)
	case g.GitLab != nil:
		return c.gitlabReviews(g.GitLab)
	case g.Gitea != nil:
		return c.giteaReviews(g.Gitea)
	case g.Bitbucket != nil:
		return c.bitbucketReviews(g.Bitbucket)
	case g.BitbucketServer != nil:
		return c.bitbucketServerReviews(g.BitbucketServer)
	default:
		return c.azureReviews(g.AzureDevOps)
	}
}

// one reports whether exactly one host is named.
func one(generator string, named ...bool) error {
	n := 0
	for _, is := range named {
		if is {
			n++
		}
	}
	switch n {
	case 0:
		return gitops.Problemf(gitops.Invalid, "cannot use the %s generator: it names no Git host", generator).Do("name one, as github or gitlab")
	case 1:
		return nil
	default:
		return gitops.Problemf(gitops.Invalid, "cannot use the %s generator: it names %d Git hosts", generator, n).Do("name one only, and write a generator for each host")
	}
}
