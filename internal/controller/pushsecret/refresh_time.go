package pushsecret

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
)

// due reports whether values are written now, and else when they are looked at again.
func (r *Reconciler) due(ctx context.Context, one *v1alpha1.PushSecret) (now bool, again reconcile.Result) {
	status := one.Status
	switch {
	case status.RefreshTime.IsZero(), !ready(one), status.SyncedResourceVersion != syncedVersion(one), r.sourceChanged(ctx, one):
		return true, reconcile.Result{}
	case one.Interval() == 0:
		return false, reconcile.Result{}
	case status.RefreshTime.After(r.Now()): // of another clock: it says nothing
		return true, reconcile.Result{}
	}
	again = r.next(one)
	return again.RequeueAfter <= 0, again
}

// next is when values are written again.
func (r *Reconciler) next(one *v1alpha1.PushSecret) reconcile.Result {
	if one.Interval() == 0 {
		return reconcile.Result{}
	}
	return reconcile.Result{RequeueAfter: one.Status.RefreshTime.Add(max(time.Second, one.Interval())).Sub(r.Now())}
}

func ready(one *v1alpha1.PushSecret) bool {
	for _, c := range one.Status.Conditions {
		if c.Type == conditionReady {
			return c.Status == string(metav1.ConditionTrue)
		}
	}
	return false
}

// syncedVersion is what was written: the generation of the spec, and a sum of the
// metadata, by which people ask for it again.
func syncedVersion(one *v1alpha1.PushSecret) string {
	text, err := json.Marshal([]map[string]string{one.Labels, one.Annotations})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return strconv.FormatInt(one.Generation, 10) + "-" + hex.EncodeToString(sum[:8])
}

// OfSecret are the PushSecrets of a Secret in the cache, which are those that
// ExternalSecrets make.
func (r *Reconciler) OfSecret(ctx context.Context, secret client.Object) (out []reconcile.Request) {
	var all v1alpha1.PushSecretList
	if err := r.Objects.List(ctx, &all, client.InNamespace(secret.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return nil // each is looked at when its time has come
	}
	for i := range all.Items {
		if from := all.Items[i].Spec.Selector.Secret; from != nil && from.Name == secret.GetName() {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
		}
	}
	return out
}

// OfStore are the PushSecrets that failed: a store that changed may do better.
func (r *Reconciler) OfStore(ctx context.Context, changed client.Object) (out []reconcile.Request) {
	var all v1alpha1.PushSecretList
	if err := r.Objects.List(ctx, &all, client.InNamespace(changed.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return nil
	}
	kind := esv1.SecretStoreKind
	if changed.GetNamespace() == "" {
		kind = esv1.ClusterSecretStoreKind
	}
	for i := range all.Items {
		one := &all.Items[i]
		for _, ref := range one.Spec.SecretStoreRefs {
			if (ref.Kind == kind || ref.Kind == "" && kind == esv1.SecretStoreKind) && (ref.LabelSelector != nil || ref.Name == changed.GetName()) {
				out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(one)})
				break
			}
		}
	}
	return out
}

// sourceChanged reports whether the Secret is another one than was pushed last, as far
// as the cache has it. An engine that has just started does not know what was pushed, and
// looks at each such Secret once.
func (r *Reconciler) sourceChanged(ctx context.Context, one *v1alpha1.PushSecret) bool {
	from := one.Spec.Selector.Secret
	if from == nil || from.Name == "" {
		return false
	}
	r.mu.Lock()
	was := r.pushed[client.ObjectKeyFromObject(one)]
	r.mu.Unlock()
	now := r.cached(ctx, types.NamespacedName{Namespace: one.Namespace, Name: from.Name})
	return now != "" && now != was
}

func (r *Reconciler) remember(name types.NamespacedName, t *turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pushed[name] = t.version
}

func (r *Reconciler) forget(name types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pushed, name)
}
