package fleet

import (
	"errors"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// maxWords bounds what is told of a cluster's answer, in bytes.
const maxWords = 2 << 10

// problem makes an error of a request something that a person can act on.
// What is a verb and a resource: "list deployments.apps".
func (c *Cluster) problem(what string, err error) error {
	if err == nil {
		return nil
	}
	p := c.classify(what, err)
	p.What = gitops.First(p.What, maxWords)
	return p
}

func (c *Cluster) classify(what string, err error) *gitops.Problem {
	d := c.Desc()
	secret := orElse(d.Secret, "of the cluster")
	var own *gitops.Problem
	var down *downError
	var over *crowded
	since := ""
	if errors.As(err, &down) {
		// When it is tried next is left out: each try would change the status of
		// each application.
		since, err = " since "+down.since.UTC().Format(time.RFC3339), down.cause
	}
	switch {
	case reply.Refusal(err) != nil:
		return gitops.Problemf(gitops.Unreachable, "%w", reply.Refusal(err))
	case errors.As(err, &over):
		return gitops.Problemf(gitops.Unreachable, "%w", over).Do(uncrowd)
	case errors.As(err, &own) && own.Kind == gitops.Refused:
		return gitops.Problemf(gitops.Refused, "cannot log in to cluster %s: %w", d.Name, own).
			Do("correct data.config of Secret " + secret + ", or what it refers to")
	case apierrors.IsUnauthorized(err):
		return gitops.Problemf(gitops.Refused, "cluster %s refuses the credentials: %w", d.Name, withoutURL(err)).
			Do("renew the credentials in Secret " + secret)
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Refused, "cannot %s on cluster %s: %w", what, d.Name, withoutURL(err)).
			Do("allow the engine's account on the cluster to " + what)
	case isAnswer(err), errors.Is(err, errManyVersions):
		return gitops.Problemf(gitops.Unreachable, "cannot %s on cluster %s: %w", what, d.Name, withoutURL(err))
	}
	return gitops.Problemf(gitops.Unreachable, "cluster %s at %s does not answer%s: %w", d.Name, d.Server, since, withoutURL(err)).
		Do("check that the cluster runs and that its address can be reached from here; it is tried again within " + c.link.redial.String() + c.sooner())
}

// sooner tells what has a cluster asked before that, where it is asked seldom.
func (c *Cluster) sooner() string {
	if c.link.redial <= lastRetry {
		return ""
	}
	return ", and at once by a refresh of an application there"
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

// absent reports whether an object is not there. An API server that is starting
// does not know the path and says the same without a name.
func absent(err error, name string) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Name == name
}

// notServed reports whether a cluster has a kind in no version.
func notServed(err error) bool {
	return gitops.IsProblem(err, gitops.NotReady)
}
