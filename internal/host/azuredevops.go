package host

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/host/azuredevops"
)

func (c caller) azureForge(g *v1alpha1.SCMProviderGeneratorAzureDevOps) (Forge, error) {
	a, err := c.azure(g.Organization, g.API, g.AccessTokenRef)
	if err != nil {
		return nil, err
	}
	client, err := azuredevops.New(azuredevops.Options{Access: a, TeamProject: g.TeamProject})
	return look(client, err, g.AllBranches)
}

func (c caller) azureReviews(g *v1alpha1.PullRequestGeneratorAzureDevOps) (Reviews, error) {
	a, err := c.azure(g.Organization, g.API, g.TokenRef)
	if err != nil {
		return nil, err
	}
	return review(azuredevops.NewReviews(azuredevops.ReviewOptions{Access: a, Project: g.Project, Repo: g.Repo, Labels: g.Labels}))
}

func (c caller) azure(organization, api string, ref *v1alpha1.SecretRef) (azuredevops.Access, error) {
	http, err := c.http(api, false, nil)
	if err != nil {
		return azuredevops.Access{}, err
	}
	token, err := c.secret(ref)
	return azuredevops.Access{Organization: organization, API: api, Token: token, HTTP: http}, err
}
