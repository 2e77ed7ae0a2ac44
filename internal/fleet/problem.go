package fleet

import (
	"errors"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// problem makes an error of a request something that a person can act on.
// What is a verb and a resource: "list deployments.apps".
func (c *Cluster) problem(what string, err error) error {
	if err == nil {
		return nil
	}
	d := c.Desc()
	secret := orElse(d.Secret, "of the cluster")
	switch {
	case apierrors.IsUnauthorized(err):
		return gitops.Problemf(gitops.Refused, "cluster %s refuses the credentials: %w", d.Name, withoutURL(err)).
			Do("renew the credentials in Secret " + secret)
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Refused, "cannot %s on cluster %s: %w", what, d.Name, withoutURL(err)).
			Do("allow the engine's account on the cluster to " + what)
	case isAnswer(err):
		return gitops.Problemf(gitops.Unreachable, "cannot %s on cluster %s: %w", what, d.Name, withoutURL(err))
	}
	return gitops.Problemf(gitops.Unreachable, "cluster %s at %s does not answer: %w", d.Name, d.Server, withoutURL(err)).
		Do("check that the cluster runs and that its address can be reached from here")
}

// isAnswer tells an error that the API server sent from one on the way to it.
func isAnswer(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// withoutURL leaves out the request's address: long, and told already.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
