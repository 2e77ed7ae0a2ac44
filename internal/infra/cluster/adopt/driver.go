// Package adopt connects clusters that somebody else made, by a kubeconfig in
// a Secret. It never makes a cluster, and never takes one away.
package adopt

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Driver reads kubeconfigs.
type Driver struct {
	// Secrets reads at the API server: the engine keeps no such Secrets.
	Secrets client.Reader
}

// Make reads the kubeconfig.
func (d Driver) Make(ctx context.Context, c *causeway.Cluster) (kubeconfig.Connection, error) {
	if c.Spec.Adopt == nil {
		return kubeconfig.Connection{}, gitops.Problemf(gitops.Invalid, "the cluster was made by the driver adopt, and its spec names another one").
			Do("write spec.adopt again")
	}
	ref := c.Spec.Adopt.SecretRef
	secret := &corev1.Secret{}
	if err := d.Secrets.Get(ctx, types.NamespacedName{Namespace: c.Namespace, Name: ref.Name}, secret); err != nil {
		return kubeconfig.Connection{}, unread(ref, err)
	}
	text, ok := secret.Data[ref.Key]
	if !ok {
		return kubeconfig.Connection{}, gitops.Problemf(gitops.NotFound, "Secret %s has no key %q", ref.Name, ref.Key).
			Do("add the key, or correct adopt.secretRef")
	}
	return kubeconfig.Read(text, c.Spec.Adopt.Context)
}

// Remove leaves the cluster as it is: it is not ours.
func (Driver) Remove(context.Context, *causeway.Cluster) error { return nil }

func unread(ref causeway.KeyReference, err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return gitops.Problemf(gitops.NotFound, "Secret %s, which should have the kubeconfig, does not exist", ref.Name).
			Do("create it, or correct adopt.secretRef")
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Refused, "cannot read Secret %s: %w", ref.Name, err).Do("let the engine's role get it")
	}
	return gitops.Problemf(gitops.Unreachable, "cannot read Secret %s: %w", ref.Name, err)
}
