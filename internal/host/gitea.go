package host

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/host/gitea"
)

func (c caller) giteaForge(g *v1alpha1.SCMProviderGeneratorGitea, protocol string) (Forge, error) {
	o, err := c.gitea(g.API, g.TokenRef, g.Insecure)
	if err != nil {
		return nil, err
	}
	o.Owner, o.CloneProtocol, o.ExcludeArchivedRepos = g.Owner, protocol, g.ExcludeArchivedRepos
	client, err := gitea.New(o)
	return look(client, err, g.AllBranches)
}

func (c caller) giteaReviews(g *v1alpha1.PullRequestGeneratorGitea) (Reviews, error) {
	o, err := c.gitea(g.API, g.TokenRef, g.Insecure)
	if err != nil {
		return nil, err
	}
	o.Owner, o.Repository, o.Labels = g.Owner, g.Repo, g.Labels
	return review(gitea.New(o))
}

func (c caller) gitea(api string, ref *v1alpha1.SecretRef, insecure bool) (gitea.Options, error) {
	http, err := c.http(api, insecure, nil)
	if err != nil {
		return gitea.Options{}, err
	}
	http.Fix = c.fix(ref)
	token, err := c.token(ref)
	return gitea.Options{API: api, Token: token, HTTP: http}, err
}
