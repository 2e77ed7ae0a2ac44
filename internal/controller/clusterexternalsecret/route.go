package clusterexternalsecret

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// IndexOwner is the index of the cache that finds ExternalSecrets by the
// ClusterExternalSecret that made them.
const IndexOwner = "causeway.clusterexternalsecret"

// OwnerOf are the values of IndexOwner.
func OwnerOf(object client.Object) []string {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != esv1.ClusterExternalSecretKind {
		return nil
	}
	return []string{owner.Name}
}

// OfNamespace are those whom news of a namespace concern: they select it as it is, or
// have something in it. Of a change, it is asked for what was before as well.
func (r *Reconciler) OfNamespace(ctx context.Context, namespace client.Object) []reconcile.Request {
	return r.which(ctx, func(one *esv1.ClusterExternalSecret) bool {
		s, err := selectionOf(one)
		return err == nil && (s.selects(namespace) || slices.Contains(one.Status.ProvisionedNamespaces, namespace.GetName()))
	})
}

// OfExternalSecret are those whom news of an ExternalSecret concern: who made it, and who
// would have made one of that name.
func (r *Reconciler) OfExternalSecret(ctx context.Context, object client.Object) []reconcile.Request {
	if owners := OwnerOf(object); len(owners) > 0 {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: owners[0]}}}
	}
	return r.which(ctx, func(one *esv1.ClusterExternalSecret) bool {
		return nameOf(one) == object.GetName() && (slices.Contains(one.Status.ProvisionedNamespaces, object.GetNamespace()) ||
			slices.ContainsFunc(one.Status.FailedNamespaces, func(f esv1.FailedNamespace) bool { return f.Namespace == object.GetNamespace() }))
	})
}

func (r *Reconciler) which(ctx context.Context, concerned func(*esv1.ClusterExternalSecret) bool) (out []reconcile.Request) {
	var all esv1.ClusterExternalSecretList
	if err := r.Objects.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return nil // each is looked at when the cache is filled
	}
	for i := range all.Items {
		if one := &all.Items[i]; concerned(one) {
			out = append(out, reconcile.Request{NamespacedName: types.NamespacedName{Name: one.Name}})
		}
	}
	return out
}
