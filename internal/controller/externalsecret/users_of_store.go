package externalsecret

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Waiting are the ExternalSecrets of a store. Those that failed may do better with what
// changed of it; those that are Ready may have been another controller's until now, and
// else are not due.
func (r *Reconciler) Waiting(ctx context.Context, changed client.Object) []reconcile.Request {
	var all esv1.ExternalSecretList
	if err := r.Objects.List(ctx, &all, client.InNamespace(changed.GetNamespace())); err != nil {
		r.Log.WarnContext(ctx, "ExternalSecrets of a store that changed are tried later", "store", changed.GetName(), "error", err)
		return nil
	}
	var out []reconcile.Request
	for i := range all.Items {
		if one := &all.Items[i]; uses(one, changed) {
			out = append(out, reconcile.Request{NamespacedName: nameOf(one)})
		}
	}
	return out
}

// uses reports whether an ExternalSecret names a store anywhere.
func uses(one *esv1.ExternalSecret, changed client.Object) bool {
	is := func(ref *esv1.SecretStoreRef) bool {
		if ref == nil || ref.Name != changed.GetName() {
			return false
		}
		return (ref.Kind == esv1.ClusterSecretStoreKind) == (changed.GetNamespace() == "")
	}
	if is(&one.Spec.SecretStoreRef) {
		return true
	}
	for _, d := range one.Spec.Data {
		if d.SourceRef != nil && is(&d.SourceRef.SecretStoreRef) {
			return true
		}
	}
	for _, d := range one.Spec.DataFrom {
		if d.SourceRef != nil && is(d.SourceRef.SecretStoreRef) {
			return true
		}
	}
	return false
}
