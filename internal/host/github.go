package host

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/github"
)

func (c caller) githubForge(g *v1alpha1.SCMProviderGeneratorGithub, protocol string) (Forge, error) {
	o, err := c.github(g.API, g.TokenRef, g.AppSecretName)
	if err != nil {
		return nil, err
	}
	o.Organization, o.CloneProtocol, o.ExcludeArchivedRepos = g.Organization, protocol, g.ExcludeArchivedRepos
	client, err := github.New(o)
	return look(client, err, g.AllBranches)
}

func (c caller) githubReviews(g *v1alpha1.PullRequestGeneratorGithub) (Reviews, error) {
	o, err := c.github(g.API, g.TokenRef, g.AppSecretName)
	if err != nil {
		return nil, err
	}
	o.Owner, o.Repository, o.Labels = g.Owner, g.Repo, g.Labels
	return review(github.New(o))
}

// github signs in as an App where one is named, and by a token otherwise.
func (c caller) github(api string, ref *v1alpha1.SecretRef, app string) (github.Options, error) {
	http, err := c.http(api, false, nil)
	if err != nil {
		return github.Options{}, err
	}
	o := github.Options{API: api, HTTP: http}
	if app != "" {
		o.HTTP.Fix = "check the GitHub App of the Secret " + app + ", and what it may read"
		o.Token, err = c.app(app, api)
		return o, err
	}
	o.HTTP.Fix = c.fix(ref)
	o.Token, err = c.token(ref)
	return o, err
}

func (c caller) app(secretName, api string) (func(context.Context) (string, error), error) {
	if c.AppToken == nil {
		return nil, gitops.Problemf(gitops.Refused, "cannot sign in to GitHub: the App of appSecretName %s is not at hand", secretName).Do("use tokenRef")
	}
	return c.AppToken(c.ctx, c.namespace, secretName, api)
}
