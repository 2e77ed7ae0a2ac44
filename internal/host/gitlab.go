package host

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/host/gitlab"
)

func (c caller) gitlabForge(g *v1alpha1.SCMProviderGeneratorGitlab, protocol string) (Forge, error) {
	o, err := c.gitlab(g.API, g.TokenRef, g.Insecure, g.CARef)
	if err != nil {
		return nil, err
	}
	o.Group, o.CloneProtocol, o.Topic = g.Group, protocol, g.Topic
	o.IncludeSubgroups, o.IncludeArchivedRepos = g.IncludeSubgroups, g.IncludeArchivedRepos
	o.ExcludeSharedProjects = g.IncludeSharedProjects != nil && !*g.IncludeSharedProjects
	client, err := gitlab.New(o)
	return look(client, err, g.AllBranches)
}

func (c caller) gitlabReviews(g *v1alpha1.PullRequestGeneratorGitLab) (Reviews, error) {
	o, err := c.gitlab(g.API, g.TokenRef, g.Insecure, g.CARef)
	if err != nil {
		return nil, err
	}
	o.Project, o.Labels, o.PullRequestState = g.Project, g.Labels, g.PullRequestState
	return review(gitlab.New(o))
}

func (c caller) gitlab(api string, ref *v1alpha1.SecretRef, insecure bool, authority *v1alpha1.ConfigMapKeyRef) (gitlab.Options, error) {
	http, err := c.http(api, insecure, authority)
	if err != nil {
		return gitlab.Options{}, err
	}
	http.Fix = c.fix(ref)
	token, err := c.token(ref)
	return gitlab.Options{API: api, Token: token, HTTP: http}, err
}
