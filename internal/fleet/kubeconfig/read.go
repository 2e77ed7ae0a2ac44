package kubeconfig

import (
	"errors"
	"net/url"

	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Connection is where a cluster is, and how to get in.
type Connection struct {
	// Server is the address of its API server.
	Server string
	// Login is data.config of a cluster Secret.
	Login fleet.Connection
}

// Read reads one context; the current one when context is empty. Errors are
// problems that a person can act on.
func Read(text []byte, context string) (Connection, error) {
	server, login, err := parse(text, context)
	if u, bad := url.Parse(server); err == nil && (bad != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		err = errors.New("its server is not an https address")
	}
	if err != nil {
		return Connection{}, gitops.Problemf(gitops.Invalid, "cannot use the kubeconfig: %w", err).
			Do("write one that has all it needs in itself, as `kubectl config view --flatten --minify` does")
	}
	return Connection{Server: server, Login: login}, nil
}
