package clusterexternalsecret

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Options of a Reconciler.
type Options struct {
	// Objects reads ClusterExternalSecrets, ExternalSecrets by IndexOwner and the metadata
	// of Namespaces, of a cache.
	Objects client.Reader
	// Live reads ExternalSecrets at the API server.
	Live client.Reader
	// Cluster writes.
	Cluster client.Client
	// Turn is how long one look may write; 20 seconds when 0.
	Turn time.Duration
	// Now is the clock; the machine's when nil.
	Now func() time.Time
}

// Reconciler reconciles ClusterExternalSecrets.
type Reconciler struct {
	Options

	mu sync.Mutex
	// refused are what could not be deleted, of each ClusterExternalSecret.
	refused map[string]map[types.NamespacedName]error
}

// defaultTurn has others come in between where thousands of namespaces are selected.
const defaultTurn = 20 * time.Second

// New returns a Reconciler.
func New(o Options) *Reconciler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Turn == 0 {
		o.Turn = defaultTurn
	}
	return &Reconciler{Options: o, refused: map[string]map[types.NamespacedName]error{}}
}

// refusedOf is what could not be deleted in the turns before.
func (r *Reconciler) refusedOf(name string) map[types.NamespacedName]error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if all := r.refused[name]; all != nil {
		return all
	}
	return map[types.NamespacedName]error{}
}

func (r *Reconciler) refuse(name string, all map[types.NamespacedName]error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(all) == 0 {
		delete(r.refused, name)
		return
	}
	r.refused[name] = all
}

// Reconcile has the ExternalSecrets of one ClusterExternalSecret be where they should.
// When it goes, they go with it: it owns them.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var one esv1.ClusterExternalSecret
	err := r.Objects.Get(ctx, types.NamespacedName{Name: request.Name}, &one)
	if apierrors.IsNotFound(err) || err == nil && one.DeletionTimestamp != nil {
		r.refuse(request.Name, nil)
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("cannot read ClusterExternalSecret %s: %w", request.Name, err)
	}
	t := &turn{r: r, of: &one, name: nameOf(&one), ends: r.Now().Add(r.Turn), before: failedBefore(&one)}
	failure := t.all(ctx)
	switch {
	case errors.Is(failure, errMore):
		return reconcile.Result{RequeueAfter: time.Millisecond}, r.unfinished(ctx, &one, t)
	case failure == nil && t.changed && len(t.kept) == 0:
		return reconcile.Result{RequeueAfter: time.Second}, nil
	}
	if err := r.report(ctx, &one, t, failure); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, errors.Join(failure, t.again, errors.Join(t.kept...))
}

// failedBefore are the reasons of namespaces that failed when they were tried last.
func failedBefore(one *esv1.ClusterExternalSecret) map[string]string {
	all := make(map[string]string, len(one.Status.FailedNamespaces))
	for _, f := range one.Status.FailedNamespaces {
		all[f.Namespace] = f.Reason
	}
	return all
}

// nameOf is the name of the ExternalSecrets.
func nameOf(one *esv1.ClusterExternalSecret) string {
	if one.Spec.ExternalSecretName == "" {
		return one.Name
	}
	return one.Spec.ExternalSecretName
}
