package secretrotation

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// says is what an object says of restarts; stated is false where it says nothing.
func says(object client.Object) (restart, stated bool) {
	text, stated := object.GetAnnotations()[esv1.AnnotationRestart]
	return text == "true", stated
}

// restarts reports whether a workload is restarted for the Secret of an ExternalSecret
// by whose stores that is wanted, or not.
func restarts(w client.Object, one *esv1.ExternalSecret, byStores bool) bool {
	for _, object := range []client.Object{w, one} {
		if restart, stated := says(object); stated {
			return restart
		}
	}
	return byStores
}

// byStores reports whether a store of an ExternalSecret has all be restarted that use
// what is made of it. One that is not there says nothing.
func (r *Reconciler) byStores(ctx context.Context, one *esv1.ExternalSecret) (bool, error) {
	for _, ref := range storesOf(one) {
		var store client.Object = &esv1.SecretStore{}
		name := client.ObjectKey{Namespace: one.Namespace, Name: ref.Name}
		if ref.Kind == esv1.ClusterSecretStoreKind {
			store, name.Namespace = &esv1.ClusterSecretStore{}, ""
		}
		err := r.Objects.Get(ctx, name, store)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("cannot read the store %s: %w", ref.Name, err)
		}
		if restart, _ := says(store); restart {
			return true, nil
		}
	}
	return false, nil
}

// storesOf are all stores that an ExternalSecret names.
func storesOf(one *esv1.ExternalSecret) []esv1.SecretStoreRef {
	refs := []esv1.SecretStoreRef{one.Spec.SecretStoreRef}
	for _, d := range one.Spec.Data {
		if d.SourceRef != nil {
			refs = append(refs, d.SourceRef.SecretStoreRef)
		}
	}
	for _, d := range one.Spec.DataFrom {
		if d.SourceRef != nil && d.SourceRef.SecretStoreRef != nil {
			refs = append(refs, *d.SourceRef.SecretStoreRef)
		}
	}
	return refs
}
