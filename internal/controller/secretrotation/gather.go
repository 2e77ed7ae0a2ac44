package secretrotation

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/externalsecret"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// change is that of a Secret.
type change struct {
	at time.Time
	of *esv1.ExternalSecret
	// byStores is what its stores say of restarts.
	byStores bool
}

// ahead is how far a change may be in the future by another clock. One that is further
// was not written here, and whatever starts would be older.
const ahead = time.Minute

// changes are those of the Secrets of a namespace, by their names.
func (r *Reconciler) changes(ctx context.Context, namespace string) (map[string]change, error) {
	var secrets corev1.SecretList
	if err := r.Objects.List(ctx, &secrets, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("cannot list the Secrets of %s: %w", namespace, err)
	}
	var makers esv1.ExternalSecretList
	out := map[string]change{}
	for i := range secrets.Items {
		secret := &secrets.Items[i]
		at, err := time.Parse(time.RFC3339, secret.Annotations[esv1.AnnotationChanged])
		if err != nil || at.After(r.Now().Add(ahead)) {
			continue
		}
		if len(makers.Items) == 0 {
			if err := r.Objects.List(ctx, &makers, client.InNamespace(namespace)); err != nil {
				return nil, fmt.Errorf("cannot list the ExternalSecrets of %s: %w", namespace, err)
			}
		}
		for j := range makers.Items {
			one := &makers.Items[j]
			if !externalsecret.MadeBy(one, secret) {
				continue
			}
			byStores, err := r.byStores(ctx, one)
			if err != nil {
				return nil, err
			}
			out[secret.Name] = change{at, one, byStores}
		}
	}
	return out, nil
}

// users are the workloads of a namespace that are restarted for Secrets which changed.
func (r *Reconciler) users(ctx context.Context, namespace string) ([]*user, error) {
	changes, err := r.changes(ctx, namespace)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	workloads, err := r.workloads(ctx, namespace)
	if err != nil {
		return nil, err
	}
	var out []*user
	for _, w := range workloads {
		one := &user{workload: w, mark: w.marked(r.Now()), changes: map[string]time.Time{}}
		// Those of the service account pull images as well. Nothing that runs reads them, and
		// a token that rotates there would restart the whole namespace each time.
		for name := range usage.Of(&w.template.Spec, nil) {
			if c, ok := changes[name]; ok && restarts(w, c.of, c.byStores) {
				one.changes[name] = c.at
			}
		}
		if len(one.changes) > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}

// workloads are those of a namespace that stay.
func (r *Reconciler) workloads(ctx context.Context, namespace string) ([]workload, error) {
	var (
		deployments  appsv1.DeploymentList
		statefulSets appsv1.StatefulSetList
		daemonSets   appsv1.DaemonSetList
		objects      []client.Object
	)
	for _, list := range []client.ObjectList{&deployments, &statefulSets, &daemonSets} {
		if err := r.Objects.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("cannot list the workloads of %s: %w", namespace, err)
		}
	}
	for i := range deployments.Items {
		objects = append(objects, &deployments.Items[i])
	}
	for i := range statefulSets.Items {
		objects = append(objects, &statefulSets.Items[i])
	}
	for i := range daemonSets.Items {
		objects = append(objects, &daemonSets.Items[i])
	}
	var out []workload
	for _, object := range objects {
		if object.GetDeletionTimestamp() == nil {
			out = append(out, workloadOf(object))
		}
	}
	return out, nil
}

// Namespaces are those in which a changed object may have workloads be restarted: its
// own, and of one of the whole cluster all that have ExternalSecrets.
func (r *Reconciler) Namespaces(ctx context.Context, changed client.Object) []reconcile.Request {
	if namespace := changed.GetNamespace(); namespace != "" {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: namespace}}}
	}
	var all esv1.ExternalSecretList
	if err := r.Objects.List(ctx, &all); err != nil {
		r.Log.WarnContext(ctx, "workloads that use the Secrets of a store are looked at later", "store", changed.GetName(), "error", err)
		return nil
	}
	var out []reconcile.Request
	seen := map[string]bool{}
	for i := range all.Items {
		if namespace := all.Items[i].Namespace; !seen[namespace] {
			seen[namespace] = true
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: namespace}})
		}
	}
	return out
}
