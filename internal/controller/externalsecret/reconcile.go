package externalsecret

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/fetch"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Computer makes objects of jobs.
type Computer interface {
	Do(ctx context.Context, job compute.Job) (compute.Made, error)
}

// Options of a Reconciler.
type Options struct {
	// Objects reads ExternalSecrets, and the Secrets that were made, of a cache.
	Objects client.Reader
	// Cluster reads at the API server, and writes.
	Cluster client.Client
	// Sources are where values come from.
	Sources fetch.Sources
	// Compute makes the objects.
	Compute Computer
	// Leases renews and revokes those of values that end.
	Leases Leases
	// Grace is for how long replaced values are left to who still uses them, if they do not
	// end before; an hour when zero.
	Grace time.Duration
	// Releasing is for how long leases of one ExternalSecret are revoked at a time, which a
	// server may draw out that answers nothing; half a minute when zero.
	Releasing time.Duration
	// Now is the clock; the machine's when nil.
	Now func() time.Time
	Log *slog.Logger
	// Meter is told how ExternalSecrets fare; nobody is when nil.
	Meter Meter
}

// Reconciler reconciles ExternalSecrets.
type Reconciler struct {
	Options

	seal seal

	mu      sync.Mutex
	written map[types.NamespacedName]written
	mends   map[types.NamespacedName]mend
	held    map[types.NamespacedName]held
	told    map[types.NamespacedName]told
	// standing is kept for a Meter alone.
	standing standing
}

// written is what was written last for an ExternalSecret.
type written struct {
	sum [sumSize]byte
	// version is the Secret's resource version after that.
	version string
	// changed is when it had other values before.
	changed string
}

// New returns a Reconciler.
func New(o Options) *Reconciler {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Grace, o.Releasing = cmp.Or(o.Grace, defaultGrace), cmp.Or(o.Releasing, defaultReleasing)
	return &Reconciler{
		Options: o, seal: newSeal(), written: map[types.NamespacedName]written{}, mends: map[types.NamespacedName]mend{}, held: map[types.NamespacedName]held{},
		told: map[types.NamespacedName]told{}, standing: standing{is: map[types.NamespacedName]bool{}},
	}
}

// othersAgain is when an ExternalSecret is looked at again whose store is another
// controller's: nothing is said of it, so that nobody else sees that it became ours.
const othersAgain = 5 * time.Minute

// Reconcile brings one Secret up to date, if its time has come.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var one esv1.ExternalSecret
	err := r.Objects.Get(ctx, request.NamespacedName, &one)
	if apierrors.IsNotFound(err) || err == nil && one.DeletionTimestamp != nil {
		return r.ended(ctx, request.NamespacedName)
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("cannot read ExternalSecret %s: %w", request.NamespacedName, err)
	}
	r.recall(&one)
	there, err := r.there(ctx, &one)
	if err != nil {
		return reconcile.Result{}, err
	}
	r.hold(ctx, &one, there)
	if due, at := r.due(&one, there); !due {
		r.stands(&one)
		over, look, err := r.tend(ctx, &one, there)
		if err != nil || !over {
			return r.again(earlier(at, look)), err
		}
	}
	if r.unreported(&one, there) {
		err := r.report(ctx, &one, outcome{reasonSynced, upToDate}, nil)
		return r.again(r.nextTurn(request.NamespacedName)), err // nobody else tells of its leases' time
	}
	hurt := !one.Status.RefreshTime.IsZero() && r.damaged(&one, there)
	outcome, err := r.refresh(ctx, &one, there)
	if errors.Is(err, store.ErrOthers) {
		r.measure(func(s *standing) { s.drop(request.NamespacedName) })
		return reconcile.Result{RequeueAfter: othersAgain}, nil
	}
	if r.Meter != nil {
		r.Meter.Refreshed(err)
	}
	if err := r.report(ctx, &one, outcome, err); err != nil {
		return reconcile.Result{}, err
	}
	if err != nil { // the values that are in place go on to count
		_, _, failed := r.tend(ctx, &one, there)
		return reconcile.Result{}, errors.Join(err, failed)
	}
	if hurt {
		r.mended(request.NamespacedName)
	}
	return r.again(earlier(one.NextRefresh(), r.nextTurn(request.NamespacedName))), nil
}

// unreported reports whether a Secret that is made once was made, and only the status
// does not say so: the engine ended in between, or was refused.
func (r *Reconciler) unreported(one *esv1.ExternalSecret, there *corev1.Secret) bool {
	if !one.Once() || !one.Status.RefreshTime.IsZero() || there == nil || !MadeBy(one, there) {
		return false
	}
	_, marked := there.Annotations[annotationKeys]
	return marked && !r.damaged(one, there)
}

// again comes back at a time; never for the zero one.
func (r *Reconciler) again(at time.Time) reconcile.Result {
	if at.IsZero() {
		return reconcile.Result{}
	}
	return reconcile.Result{RequeueAfter: max(time.Second, at.Sub(r.Now()))}
}

// there is the Secret that was made; nil when there is none.
func (r *Reconciler) there(ctx context.Context, one *esv1.ExternalSecret) (*corev1.Secret, error) {
	var secret corev1.Secret
	err := r.Objects.Get(ctx, target(one), &secret)
	if apierrors.IsNotFound(err) {
		return r.live(ctx, one)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", target(one), err)
	}
	return &secret, nil
}

// live is the Secret at the API server. What was made a moment ago is not in the cache
// yet: it must not be made twice, as passwords of generators would be others then.
func (r *Reconciler) live(ctx context.Context, one *esv1.ExternalSecret) (*corev1.Secret, error) {
	if one.Status.RefreshTime.IsZero() && !one.Once() || one.Spec.Target.Manifest != nil {
		return nil, nil //nolint:nilnil // nothing was made
	}
	var secret corev1.Secret
	err := r.Cluster.Get(ctx, target(one), &secret)
	if apierrors.IsNotFound(err) || err == nil && secret.Labels[esv1.LabelManaged] != "true" {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", target(one), err)
	}
	_, err = Transform(&secret)
	return &secret, err
}

// target is the name of the Secret.
func target(one *esv1.ExternalSecret) types.NamespacedName {
	return types.NamespacedName{Namespace: one.Namespace, Name: one.SecretName()}
}

func (r *Reconciler) forget(name types.NamespacedName) {
	r.measure(func(s *standing) { s.drop(name) })
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.written, name)
	delete(r.mends, name)
	delete(r.held, name)
	delete(r.told, name)
}

// refresh fetches, computes and writes.
func (r *Reconciler) refresh(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret) (_ outcome, err error) {
	if err := known(one); err != nil {
		return outcome{}, err
	}
	fetched, err := fetch.Fetch(ctx, fetch.Order{Namespace: one.Namespace, Spec: one.Spec, Since: r.Now().Add(-shared(one))}, r.Sources)
	defer func() { r.dropUnused(ctx, one, fetched.Leases, err) }()
	if err != nil {
		return outcome{}, err
	}
	job, err := r.job(ctx, one, fetched)
	if err != nil {
		return outcome{}, err
	}
	made, err := r.Compute.Do(ctx, job)
	if err != nil {
		return outcome{}, err
	}
	if made.Object == nil {
		r.release(ctx, one.Namespace, fetched.Leases)
		fetched.Leases = nil // they are not revoked again if what follows fails
		if err := gone(one, slices.Concat(fetched.Missing, made.Missing)); err != nil {
			return outcome{}, err
		}
		return r.emptied(ctx, one, there)
	}
	return outcome{reason: reasonSynced, message: upToDate}, r.write(ctx, one, there, made.Object, fetched)
}
