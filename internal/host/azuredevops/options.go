// Package azuredevops lists repositories of an Azure DevOps project and pull
// requests of one of its repositories.
//
// API: https://learn.microsoft.com/rest/api/azure/devops/git.
package azuredevops

import (
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/microsoft/azure-devops-go-api/azuredevops/v7"
	"github.com/microsoft/azure-devops-go-api/azuredevops/v7/git"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// PublicAPI is where Azure DevOps Services answers.
const PublicAPI = "https://dev.azure.com"

// Access is how to reach an organisation.
type Access struct {
	// Organization of the project: a collection on a server of one's own.
	Organization string
	// API is the address of Azure DevOps; PublicAPI when empty.
	API string
	// Token is a personal access token.
	Token string

	// HTTP tells how to reach the host; Subject, Fix, Host, JSON and Sign are set here.
	HTTP wire.Options
}

// Options describe a project, as scmProvider's azureDevOps does. Addresses to
// clone from are always https, whatever cloneProtocol says.
type Options struct {
	Access

	// TeamProject to list.
	TeamProject string
}

// ReviewOptions describe a repository, as pullRequest's azuredevops does.
type ReviewOptions struct {
	Access

	// Project of the repository Repo.
	Project, Repo string
	// Labels that a pull request has to have, all of them.
	Labels []string
}

// Client reads a project. It implements host.Forge and host.Lister.
type Client struct {
	o Options
	connection
}

// New makes a Client; it asks nothing yet.
func New(o Options) (*Client, error) {
	if o.Organization == "" || o.TeamProject == "" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list repositories of Azure DevOps: no project is named").Do("set organization and teamProject")
	}
	if o.Token == "" {
		return nil, gitops.Problemf(gitops.Refused, "cannot list repositories of Azure DevOps: there is no access token").Do("set accessTokenRef")
	}
	c, err := connect(o.Access, "Azure DevOps project "+o.Organization+"/"+o.TeamProject, "check accessTokenRef, that the token has not expired, and that it may read code")
	if err != nil {
		return nil, err
	}
	return &Client{o: o, connection: c}, nil
}

// Reviews reads the pull requests of a repository. It implements host.Reviews.
type Reviews struct {
	o ReviewOptions
	connection
}

// NewReviews makes a Reviews; it asks nothing yet.
func NewReviews(o ReviewOptions) (*Reviews, error) {
	if o.Organization == "" || o.Project == "" || o.Repo == "" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list pull requests of Azure DevOps: no repository is named").Do("set organization, project and repo")
	}
	c, err := connect(o.Access, "Azure DevOps repository "+o.Organization+"/"+o.Project+"/"+o.Repo, "check tokenRef, that the token has not expired, and that it may read code")
	if err != nil {
		return nil, err
	}
	return &Reviews{o: o, connection: c}, nil
}

// connection is an organisation's Git API.
type connection struct {
	api     git.Client
	subject string
}

func connect(a Access, subject, fix string) (connection, error) {
	api := a.API
	if api == "" {
		api = PublicAPI
	}
	u, err := wire.Address(strings.TrimRight(api, "/"))
	if err != nil {
		return connection{}, err
	}
	o := a.HTTP
	o.Subject, o.Fix, o.Host, o.JSON = subject+" ("+u.Host+")", fix, u.Host, true
	if a.Token != "" {
		o.Sign = func(req *http.Request) error {
			req.SetBasicAuth("", a.Token)
			return nil
		}
	}
	client, err := wire.New(o)
	if err != nil {
		return connection{}, err
	}
	client.Transport = signIn{next: client.Transport, o: o}
	base := u.JoinPath(url.PathEscape(a.Organization)).String()
	// The library never sees the token: its errors could show it.
	asked := sdk.NewClientWithOptions(sdk.NewAnonymousConnection(base), base, sdk.WithHTTPClient(client))
	return connection{api: &git.ClientImpl{Client: *asked}, subject: o.Subject}, nil
}

// signIn tells the page to sign in from an answer: the service sends it to
// wrong tokens with status 203, as if it were a success, or redirects to it.
// The library reads a refused redirect as an answer, so it is told here.
type signIn struct {
	next http.RoundTripper
	o    wire.Options
}

// RoundTrip implements http.RoundTripper.
func (s signIn) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := s.next.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusNonAuthoritativeInfo && !leaves(req, res) {
		return res, err
	}
	_ = res.Body.Close()
	return nil, gitops.Problemf(gitops.Refused, "cannot read %s: the server asks to sign in", s.o.Subject).Do(s.o.Fix)
}

// leaves reports whether an answer redirects to another host.
func leaves(req *http.Request, res *http.Response) bool {
	to, err := res.Location()
	return err == nil && res.StatusCode/100 == 3 && to.Host != req.URL.Host
}
