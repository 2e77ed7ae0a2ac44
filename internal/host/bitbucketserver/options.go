// Package bitbucketserver lists repositories of a project of Bitbucket Server
// (Data Center) and pull requests of one of its repositories.
//
// API: https://developer.atlassian.com/server/bitbucket/rest/.
package bitbucketserver

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/bitbucket/rest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Access is how to reach a server.
type Access struct {
	// API is the address of the server, with or without /rest at its end.
	API string
	// Username and Password sign in; nobody does when both are empty.
	Username, Password string
	// BearerToken signs in instead, where it is not empty.
	BearerToken string

	// HTTP tells how to reach the host, with insecure and caRef; Subject,
	// Fix, Host, JSON and Sign are set here.
	HTTP wire.Options
}

// Options describe a project, as scmProvider's bitbucketServer does.
type Options struct {
	Access

	// Project is the key of the project to list.
	Project string
	// CloneProtocol is ssh, which is the default, or https.
	CloneProtocol string
}

// ReviewOptions describe a repository, as pullRequest's bitbucketServer does.
type ReviewOptions struct {
	Access

	// Project is the key of the project of the repository Repo.
	Project, Repo string
}

// Client reads a project. It implements host.Forge and host.Lister.
type Client struct {
	project string
	// scheme is the name of the addresses to clone from.
	scheme string
	api    *rest.Reader
}

// New makes a Client; it asks nothing yet.
func New(o Options) (*Client, error) {
	if o.Project == "" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list repositories of Bitbucket Server: no project is named").Do("set project")
	}
	scheme, ok := map[string]string{"": "ssh", "ssh": "ssh", "https": "http"}[o.CloneProtocol]
	if !ok {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list repositories of Bitbucket Server: cloneProtocol %q is unknown", o.CloneProtocol).Do("set cloneProtocol to ssh or https")
	}
	api, err := open("Bitbucket Server project "+o.Project, o.Access)
	if err != nil {
		return nil, err
	}
	return &Client{project: o.Project, scheme: scheme, api: api}, nil
}

// Reviews reads the pull requests of a repository. It implements host.Reviews.
type Reviews struct {
	o   ReviewOptions
	api *rest.Reader
}

// NewReviews makes a Reviews; it asks nothing yet.
func NewReviews(o ReviewOptions) (*Reviews, error) {
	if o.Project == "" || o.Repo == "" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list pull requests of Bitbucket Server: no repository is named").Do("set project and repo")
	}
	api, err := open("Bitbucket Server repository "+o.Project+"/"+o.Repo, o.Access)
	if err != nil {
		return nil, err
	}
	return &Reviews{o: o, api: api}, nil
}

func open(subject string, a Access) (*rest.Reader, error) {
	base := strings.TrimSuffix(strings.TrimRight(a.API, "/"), "/rest") + "/rest/api/1.0"
	o := a.HTTP
	o.Subject, o.Fix = subject, "check basicAuth or bearerToken, and that it may read the project"
	switch {
	case a.BearerToken != "":
		o.Sign = rest.Bearer(a.BearerToken)
	case a.Username != "" || a.Password != "":
		o.Sign = rest.Basic(a.Username, a.Password)
	}
	return rest.New(base, o)
}
