package secretrotation

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// restarts reports whether a workload is restarted for the Secret of an ExternalSecret
// by whose stores that is wanted, or not.
func restarts(w client.Object, one *esv1.ExternalSecret, byStores bool) bool {
	for _, object := range []client.Object{w, one} {
		if restart, stated := usage.Says(object.GetAnnotations()); stated {
			return restart
		}
	}
	return byStores
}

// byStores reports whether a store of an ExternalSecret has all be restarted that use
// what is made of it. One that is not there says nothing.
func (r *Reconciler) byStores(ctx context.Context, one *esv1.ExternalSecret) (bool, error) {
	for _, ref := range usage.Stores(one) {
		var store client.Object = &esv1.SecretStore{}
		if ref.Kind == esv1.ClusterSecretStoreKind {
			store = &esv1.ClusterSecretStore{}
		}
		err := r.Objects.Get(ctx, usage.StoreKey(one.Namespace, ref), store)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("cannot read the store %s: %w", ref.Name, err)
		}
		if restart, _ := usage.Says(store.GetAnnotations()); restart {
			return true, nil
		}
	}
	return false, nil
}
