// Package bitbucket lists repositories of a Bitbucket Cloud workspace and
// pull requests of one of its repositories.
//
// API: https://developer.atlassian.com/cloud/bitbucket/rest/.
package bitbucket

import (
	"net/http"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/bitbucket/rest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// PublicAPI is where Bitbucket Cloud answers.
const PublicAPI = "https://api.bitbucket.org/2.0"

// Options describe a workspace, as scmProvider's bitbucket does.
type Options struct {
	// Owner is the workspace to list.
	Owner string
	// User and AppPassword sign in.
	User, AppPassword string
	// CloneProtocol is ssh, which is the default, or https.
	CloneProtocol string

	// API is the address of the API; PublicAPI when empty.
	API string
	// HTTP tells how to reach the host; Subject, Fix, Host, JSON and Sign are set here.
	HTTP wire.Options
}

// ReviewOptions describe a repository, as pullRequest's bitbucket does.
type ReviewOptions struct {
	// Owner is the workspace of the repository Repo.
	Owner, Repo string
	// API is the address of the API; PublicAPI when empty.
	API string
	// Username and Password sign in; nobody does when both are empty.
	Username, Password string
	// BearerToken signs in instead, where it is not empty.
	BearerToken string

	// HTTP tells how to reach the host; Subject, Fix, Host, JSON and Sign are set here.
	HTTP wire.Options
}

// Client reads a workspace. It implements host.Forge and host.Lister.
type Client struct {
	o   Options
	api *rest.Reader
}

// New makes a Client; it asks nothing yet.
func New(o Options) (*Client, error) {
	if o.Owner == "" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list repositories of Bitbucket: no workspace is named").Do("set owner")
	}
	switch o.CloneProtocol {
	case "":
		o.CloneProtocol = "ssh"
	case "ssh", "https":
	default:
		return nil, gitops.Problemf(gitops.Invalid, "cannot list repositories of Bitbucket: cloneProtocol %q is unknown", o.CloneProtocol).Do("set cloneProtocol to ssh or https")
	}
	o.HTTP.Fix = "check user and appPasswordRef, and that the password may read repositories"
	api, err := open(o.API, "the Bitbucket workspace "+o.Owner, basic(o.User, o.AppPassword), o.HTTP)
	if err != nil {
		return nil, err
	}
	return &Client{o: o, api: api}, nil
}

// Reviews reads the pull requests of a repository. It implements host.Reviews.
type Reviews struct {
	o   ReviewOptions
	api *rest.Reader
}

// NewReviews makes a Reviews; it asks nothing yet.
func NewReviews(o ReviewOptions) (*Reviews, error) {
	if o.Owner == "" || o.Repo == "" {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list pull requests of Bitbucket: no repository is named").Do("set owner and repo")
	}
	sign := basic(o.Username, o.Password)
	if o.BearerToken != "" {
		sign = rest.Bearer(o.BearerToken)
	}
	o.HTTP.Fix = "check basicAuth or bearerToken, and that it may read pull requests"
	api, err := open(o.API, "the pull requests of the Bitbucket repository "+o.Owner+"/"+o.Repo, sign, o.HTTP)
	if err != nil {
		return nil, err
	}
	return &Reviews{o: o, api: api}, nil
}

func open(api, subject string, sign func(*http.Request) error, o wire.Options) (*rest.Reader, error) {
	if api == "" {
		api = PublicAPI
	}
	o.Subject, o.Sign = subject, sign
	return rest.New(api, o)
}

// basic signs where there is something to sign with: public repositories can
// be read without.
func basic(user, password string) func(*http.Request) error {
	if user == "" && password == "" {
		return nil
	}
	return rest.Basic(user, password)
}
