package externalsecret

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

var errEmpty = errors.New("there are no values, and the store does not say that an entry is gone")

// emptied does what the DeletionPolicy says where the store has no value any more.
func (r *Reconciler) emptied(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret) (outcome, error) {
	if one.Spec.Target.DeletionPolicy == esv1.DeleteSecret {
		if err := own(one, there); err != nil {
			return outcome{}, err
		}
		return outcome{reasonDeleted, "the store has none of the values any more, and deletionPolicy is Delete"}, r.remove(ctx, one, there)
	}
	if there == nil {
		return outcome{reasonMissing, "the store has none of the values: there is nothing to make a Secret of"}, nil
	}
	r.rest(nameOf(one))
	return outcome{reasonSynced, "the store has none of the values any more; the Secret stays as it is (deletionPolicy: Retain)"}, nil
}

// gone is an error where a Secret would be deleted without the store's word: entries that
// are there and hold nothing are none, nor is a spec that names no entry. A search that
// finds nothing is.
func gone(one *esv1.ExternalSecret, missing []string) error {
	searches := slices.ContainsFunc(one.Spec.DataFrom, func(d esv1.ExternalSecretDataFrom) bool { return d.Find != nil })
	if one.Spec.Target.DeletionPolicy != esv1.DeleteSecret || len(missing) > 0 || searches {
		return nil
	}
	return fmt.Errorf("%w: deletionPolicy Delete deletes the Secret only then", errEmpty)
}

// own is an error where a Secret is not the ExternalSecret's to delete.
func own(one *esv1.ExternalSecret, there *corev1.Secret) error {
	spec := one.Spec.Target
	switch {
	case spec.CreationPolicy != "" && spec.CreationPolicy != esv1.CreateOwner || spec.Manifest != nil:
		return fmt.Errorf("%w: deletionPolicy Delete is for Secrets of the creationPolicy Owner; the Secret stays as it is", errForeign)
	case there != nil && !metav1.IsControlledBy(there, one):
		return fmt.Errorf("%w: the store has none of the values any more, and Secret %s stays as it is", errForeign, there.Name)
	}
	return nil
}

// remove deletes a Secret that was made here.
func (r *Reconciler) remove(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret) error {
	if there == nil {
		return nil
	}
	err := r.Cluster.Delete(ctx, there, client.Preconditions{UID: &there.UID, ResourceVersion: &there.ResourceVersion}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot delete Secret %s: %w", there.Name, err)
	}
	r.release(ctx, one.Namespace, leasesOf(there))
	r.holds(one, nil)
	return nil
}
