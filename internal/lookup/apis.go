package lookup

import (
	"cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// The addresses of hosts that generators need not name.
const (
	publicAPI    = "https://api.github.com"
	gitLabAPI    = "https://gitlab.com"
	bitbucketAPI = "https://api.bitbucket.org"
	azureAPI     = "https://dev.azure.com"
)

// apiOfForge is the address that a scmProvider generator asks; empty where it
// depends on the region.
func apiOfForge(g *v1alpha1.SCMProviderGenerator) string {
	switch {
	case g.Github != nil:
		return cmp.Or(g.Github.API, publicAPI)
	case g.Gitlab != nil:
		return cmp.Or(g.Gitlab.API, gitLabAPI)
	case g.Gitea != nil:
		return g.Gitea.API
	case g.Bitbucket != nil:
		return bitbucketAPI
	case g.BitbucketServer != nil:
		return g.BitbucketServer.API
	case g.AzureDevOps != nil:
		return cmp.Or(g.AzureDevOps.API, azureAPI)
	default:
		return ""
	}
}

// apiOfReviews is the address that a pullRequest generator asks.
func apiOfReviews(g *v1alpha1.PullRequestGenerator) string {
	switch {
	case g.Github != nil:
		return cmp.Or(g.Github.API, publicAPI)
	case g.GitLab != nil:
		return cmp.Or(g.GitLab.API, gitLabAPI)
	case g.Gitea != nil:
		return g.Gitea.API
	case g.Bitbucket != nil:
		return cmp.Or(g.Bitbucket.API, bitbucketAPI)
	case g.BitbucketServer != nil:
		return g.BitbucketServer.API
	case g.AzureDevOps != nil:
		return cmp.Or(g.AzureDevOps.API, azureAPI)
	default:
		return ""
	}
}
