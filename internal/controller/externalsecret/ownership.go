package externalsecret

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// admit is an error where the object is not this ExternalSecret's to write.
func (r *Reconciler) admit(ctx context.Context, one *esv1.ExternalSecret, wanted *unstructured.Unstructured) error {
	now := &metav1.PartialObjectMetadata{}
	now.SetGroupVersionKind(wanted.GroupVersionKind())
	err := r.Cluster.Get(ctx, target(one), now)
	merge := one.Spec.Target.CreationPolicy == esv1.CreateMerge
	switch {
	case apierrors.IsNotFound(err) && merge:
		return fmt.Errorf("%w: %s %s, into which creationPolicy: Merge puts values; create it, or use Owner", errAbsent, wanted.GetKind(), wanted.GetName())
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("cannot read %s %s: %w", wanted.GetKind(), wanted.GetName(), err)
	case merge:
		return nil
	}
	if MadeBy(one, now) {
		return nil
	}
	if owner := ownerOf(one, now); owner != nil {
		return keptBy(wanted, owner.Kind, owner.Name)
	}
	return r.unshared(ctx, one, now, wanted)
}

func keptBy(object *unstructured.Unstructured, kind, name string) error {
	return fmt.Errorf("%w: %s %s is kept by %s %s; give target.name another name, or use creationPolicy: Merge", errForeign, object.GetKind(), object.GetName(), kind, name)
}

// MadeBy reports whether an object is one that this ExternalSecret made, as its owner or
// as an orphan. Who else is named an owner of it then has come later.
func MadeBy(one *esv1.ExternalSecret, object metav1.Object) bool {
	return one.UID != "" && MakerOf(object) == one.UID
}

// MakerOf is the UID of what made an object; empty where nothing says so. Of owners it
// may be of another kind.
func MakerOf(object metav1.Object) types.UID {
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		return owner.UID
	}
	return types.UID(object.GetAnnotations()[annotationOrphanOf])
}

// ownerOf is somebody else who owns an object, also without being its controller: some
// operators make Secrets that are to go with their objects, and nothing more.
func ownerOf(one *esv1.ExternalSecret, object metav1.Object) *metav1.OwnerReference {
	if owner := metav1.GetControllerOf(object); owner != nil {
		return owner
	}
	for _, owner := range object.GetOwnerReferences() {
		if owner.UID != one.UID {
			return &owner
		}
	}
	return nil
}

// unshared is an error where another ExternalSecret makes this object as an orphan, of
// which no owner tells: each would remove the keys of the other.
func (r *Reconciler) unshared(ctx context.Context, one *esv1.ExternalSecret, now metav1.Object, wanted *unstructured.Unstructured) error {
	of := now.GetAnnotations()[annotationOrphanOf]
	if of == "" {
		return nil
	}
	var all esv1.ExternalSecretList
	if err := r.Objects.List(ctx, &all, client.InNamespace(one.Namespace)); err != nil {
		return fmt.Errorf("cannot see whose %s %s is: %w", wanted.GetKind(), wanted.GetName(), err)
	}
	for i := range all.Items {
		other := &all.Items[i]
		keeps := other.DeletionTimestamp == nil && other.Spec.Target.CreationPolicy == esv1.CreateOrphan && target(other) == target(one)
		if string(other.UID) == of && keeps && blank(other)["kind"] == wanted.GetKind() {
			return keptBy(wanted, esv1.ExternalSecretKind, other.Name)
		}
	}
	return nil
}
