package secretrotation

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// gathered is what is found out of one namespace, each thing once.
type gathered struct {
	*Reconciler

	namespace string
	// changes are those of Secrets by their names; nil for one that says nothing.
	changes map[string]*change
	// makers are the ExternalSecrets by their UIDs; nil before they were listed.
	makers map[types.UID]*esv1.ExternalSecret
}

// users are the workloads of a namespace that are restarted for Secrets which changed.
// Only the Secrets that they use are looked at: there may be thousands of others.
func (r *Reconciler) users(ctx context.Context, namespace string) ([]*user, error) {
	workloads, err := r.workloads(ctx, namespace)
	if err != nil {
		return nil, err
	}
	g := &gathered{Reconciler: r, namespace: namespace, changes: map[string]*change{}}
	var out []*user
	for _, w := range workloads {
		one := &user{workload: w, mark: w.marked(r.Now()), changes: map[string]time.Time{}}
		// Those of the service account pull images as well. Nothing that runs reads them, and
		// a token that rotates there would restart the whole namespace each time.
		for name := range usage.Of(&w.template.Spec, nil) {
			c, err := g.change(ctx, name)
			if err != nil {
				return nil, err
			}
			if c != nil && restarts(w, c.of, c.byStores) {
				one.changes[name] = c.at
			}
		}
		if len(one.changes) > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}

// change is that of a Secret; nil where it is none of an ExternalSecret, or says none.
func (g *gathered) change(ctx context.Context, name string) (*change, error) {
	if known, ok := g.changes[name]; ok {
		return known, nil
	}
	c, err := g.find(ctx, name)
	if err == nil {
		g.changes[name] = c
	}
	return c, err
}

func (g *gathered) find(ctx context.Context, name string) (*change, error) {
	secret := &corev1.Secret{}
	if err := g.Objects.Get(ctx, types.NamespacedName{Namespace: g.namespace, Name: name}, secret); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	at, err := time.Parse(time.RFC3339, secret.Annotations[esv1.AnnotationChanged])
	if err != nil || at.After(g.Now().Add(ahead)) {
		return nil, nil //nolint:nilnil,nilerr // it says none
	}
	of, err := g.maker(ctx, secret)
	if err != nil || of == nil {
		return nil, err
	}
	byStores, err := g.byStores(ctx, of)
	if err != nil {
		return nil, err
	}
	return &change{at, of, byStores}, nil
}

// maker is the ExternalSecret that made a Secret; nil where none did. An owner has a
// name; of an orphan the UID alone is known.
func (g *gathered) maker(ctx context.Context, secret *corev1.Secret) (*esv1.ExternalSecret, error) {
	if owner := metav1.GetControllerOf(secret); owner != nil {
		one := &esv1.ExternalSecret{}
		if err := g.Objects.Get(ctx, types.NamespacedName{Namespace: g.namespace, Name: owner.Name}, one); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		if !externalsecret.MadeBy(one, secret) {
			return nil, nil //nolint:nilnil // it is of another kind, or of one that was deleted
		}
		return one, nil
	}
	if g.makers == nil {
		var all esv1.ExternalSecretList
		if err := g.Objects.List(ctx, &all, client.InNamespace(g.namespace)); err != nil {
			return nil, fmt.Errorf("cannot list the ExternalSecrets of %s: %w", g.namespace, err)
		}
		g.makers = map[types.UID]*esv1.ExternalSecret{}
		for i := range all.Items {
			g.makers[all.Items[i].UID] = &all.Items[i]
		}
	}
	return g.makers[externalsecret.MakerOf(secret)], nil
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
		if err := r.Workloads.List(ctx, list, client.InNamespace(namespace)); err != nil {
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
