package pushsecret

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/fetch"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Finalizer keeps a PushSecret of the deletionPolicy Delete until what it wrote is
// deleted; External Secrets' operator has the same.
const Finalizer = "pushsecret.externalsecrets.io/finalizer"

// Store is one that is written to.
type Store interface {
	provider.Writer
	Writes() bool
}

// Computer makes objects of jobs.
type Computer interface {
	Do(ctx context.Context, job compute.Job) (compute.Made, error)
}

// Options of a Reconciler.
type Options struct {
	// Objects reads PushSecrets and stores of a cache.
	Objects client.Reader
	// Live reads Secrets at the API server.
	Live client.Reader
	// Cluster writes.
	Cluster client.Client
	// Find is the store that a reference of an object in a namespace names.
	Find func(ctx context.Context, namespace string, ref esv1.SecretStoreRef) (store.Store, error)
	// Open opens it for that namespace.
	Open func(ctx context.Context, found store.Store, namespace string) (Store, error)
	// Generate makes the values of generators.
	Generate fetch.Generate
	// Templates are those of a spec, for a namespace.
	Templates func(ctx context.Context, namespace string, spec *esv1.ExternalSecretTemplate) (*compute.Template, error)
	Compute   Computer
	// Patience is how long one may write.
	Patience time.Duration
	// Now is the clock; the machine's when nil.
	Now func() time.Time
	Log *slog.Logger
}

// Reconciler reconciles PushSecrets.
type Reconciler struct {
	Options

	mu sync.Mutex
	// pushed are the Secrets that were pushed last, of those that are in the cache.
	pushed map[types.NamespacedName]string
	// unnoted is what was written where the status could not be.
	unnoted map[types.UID]synced
}

// New returns a Reconciler.
func New(o Options) *Reconciler {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Reconciler{Options: o, pushed: map[types.NamespacedName]string{}, unnoted: map[types.UID]synced{}}
}

// othersAgain is when a PushSecret is looked at again whose stores are another
// controller's: nothing is said of it.
const othersAgain = 5 * time.Minute

// Reconcile writes what one PushSecret names, if its time has come.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var one v1alpha1.PushSecret
	err := r.Objects.Get(ctx, request.NamespacedName, &one)
	if apierrors.IsNotFound(err) {
		r.forget(request.NamespacedName)
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("cannot read PushSecret %s: %w", request.NamespacedName, err)
	}
	if one.DeletionTimestamp == nil {
		if due, again := r.due(ctx, &one); !due {
			return again, nil
		}
	}
	// The cache may lack what the last turn has noted: what is not known is never deleted.
	if err := r.Live.Get(ctx, request.NamespacedName, &one); err != nil {
		if apierrors.IsNotFound(err) {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, fmt.Errorf("cannot read PushSecret %s: %w", request.NamespacedName, err)
	}
	if one.DeletionTimestamp != nil {
		return reconcile.Result{}, r.leave(ctx, &one)
	}
	limited, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	t := r.turn(&one)
	failure := t.all(limited)
	if errors.Is(failure, errAllOthers) {
		return reconcile.Result{RequeueAfter: othersAgain}, nil
	}
	if limited.Err() != nil && ctx.Err() == nil && failure != nil {
		failure = fmt.Errorf("pushing all values took more than %s: %w", r.Patience, failure)
	}
	failure = t.hide(failure)
	if err := r.report(ctx, &one, t, failure); err != nil {
		return reconcile.Result{}, err
	}
	if failure != nil {
		return reconcile.Result{}, failure
	}
	r.remember(request.NamespacedName, t)
	return r.next(&one), nil
}

// hold has a PushSecret wait with its deletion where its deletionPolicy says so. It is
// there before anything is written.
func (r *Reconciler) hold(ctx context.Context, one *v1alpha1.PushSecret) error {
	before := one.DeepCopy()
	var changed bool
	if one.Spec.DeletionPolicy == v1alpha1.DeletionDelete {
		changed = controllerutil.AddFinalizer(one, Finalizer)
	} else {
		changed = controllerutil.RemoveFinalizer(one, Finalizer)
	}
	if !changed {
		return nil
	}
	status := one.Status.DeepCopy()
	if err := r.Cluster.Patch(ctx, one, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("cannot set the finalizer of the PushSecret: %w", err)
	}
	one.Status = *status
	return nil
}

// leave deletes what a PushSecret wrote that goes, and lets it go.
func (r *Reconciler) leave(ctx context.Context, one *v1alpha1.PushSecret) error {
	if !controllerutil.ContainsFinalizer(one, Finalizer) {
		return nil
	}
	if one.Spec.DeletionPolicy == v1alpha1.DeletionDelete {
		t := r.turn(one)
		if t.ofOthers(ctx) {
			return nil // theirs is the same finalizer
		}
		if failure := t.hide(t.deleteAll(ctx)); failure != nil {
			return errors.Join(r.report(ctx, one, t, failure), failure)
		}
	}
	r.noted(one.UID, nil)
	before := one.DeepCopy()
	controllerutil.RemoveFinalizer(one, Finalizer)
	if err := r.Cluster.Patch(ctx, one, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot remove the finalizer of PushSecret %s/%s: %w", one.Namespace, one.Name, err)
	}
	return nil
}
