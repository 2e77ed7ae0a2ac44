package host

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/host/bitbucket"
	"github.com/causeway-gitops/causeway/internal/host/bitbucketserver"
)

func (c caller) bitbucketForge(g *v1alpha1.SCMProviderGeneratorBitbucket, protocol string) (Forge, error) {
	password, err := c.secret(g.AppPasswordRef)
	if err != nil {
		return nil, err
	}
	client, err := bitbucket.New(bitbucket.Options{Owner: g.Owner, User: g.User, AppPassword: password, CloneProtocol: protocol, HTTP: c.HTTP})
	return look(client, err, g.AllBranches)
}

func (c caller) bitbucketReviews(g *v1alpha1.PullRequestGeneratorBitbucket) (Reviews, error) {
	http, err := c.http(g.API, false, nil)
	if err != nil {
		return nil, err
	}
	o := bitbucket.ReviewOptions{Owner: g.Owner, Repo: g.Repo, API: g.API, HTTP: http}
	var bearer *v1alpha1.SecretRef
	if g.BearerToken != nil {
		bearer = g.BearerToken.TokenRef
	}
	o.Username, o.Password, o.BearerToken, err = c.login(g.BasicAuth, bearer)
	if err != nil {
		return nil, err
	}
	return review(bitbucket.NewReviews(o))
}

func (c caller) bitbucketServerForge(g *v1alpha1.SCMProviderGeneratorBitbucketServer, protocol string) (Forge, error) {
	a, err := c.bitbucketServer(g.API, g.BasicAuth, g.BearerToken, g.Insecure, g.CARef)
	if err != nil {
		return nil, err
	}
	client, err := bitbucketserver.New(bitbucketserver.Options{Access: a, Project: g.Project, CloneProtocol: protocol})
	return look(client, err, g.AllBranches)
}

func (c caller) bitbucketServerReviews(g *v1alpha1.PullRequestGeneratorBitbucketServer) (Reviews, error) {
	a, err := c.bitbucketServer(g.API, g.BasicAuth, g.BearerToken, g.Insecure, g.CARef)
	if err != nil {
		return nil, err
	}
	return review(bitbucketserver.NewReviews(bitbucketserver.ReviewOptions{Access: a, Project: g.Project, Repo: g.Repo}))
}

func (c caller) bitbucketServer(api string, basic *v1alpha1.BasicAuthBitbucketServer, token *v1alpha1.BearerTokenBitbucket, insecure bool, authority *v1alpha1.ConfigMapKeyRef) (bitbucketserver.Access, error) {
	http, err := c.http(api, insecure, authority)
	if err != nil {
		return bitbucketserver.Access{}, err
	}
	a := bitbucketserver.Access{API: api, HTTP: http}
	var bearer *v1alpha1.SecretRef
	if token != nil {
		bearer = token.TokenRef
	}
	a.Username, a.Password, a.BearerToken, err = c.login(basic, bearer)
	return a, err
}

// login reads a token, else name and password: with both the token is used, as
// in Argo CD.
func (c caller) login(basic *v1alpha1.BasicAuthBitbucketServer, bearer *v1alpha1.SecretRef) (username, password, token string, err error) {
	if bearer != nil {
		token, err = c.secret(bearer)
		return "", "", token, err
	}
	if basic == nil {
		return "", "", "", nil
	}
	password, err = c.secret(basic.PasswordRef)
	return basic.Username, password, "", err
}
