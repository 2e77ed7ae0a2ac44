package externalsecret

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
)

// release revokes leases. One that cannot be revoked ends by itself, as nobody renews it.
func (r *Reconciler) release(ctx context.Context, namespace string, all []lease.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Releasing)
	defer cancel()
	for i, l := range all {
		if ctx.Err() != nil { // others wait for this worker
			r.Log.WarnContext(ctx, "leases are not revoked, and end by themselves: it takes too long", "namespace", namespace, "generator", l.Generator, "leases", len(all)-i)
			return
		}
		if err := r.Leases.Revoke(ctx, namespace, l); err != nil && r.Now().Before(l.End()) {
			r.Log.WarnContext(ctx, "a lease is not revoked, and ends by itself", "namespace", namespace, "generator", l.Generator, "ends", l.End().UTC().Format(time.RFC3339), "error", err)
		}
	}
}

// ended revokes the leases of an ExternalSecret that is gone, when its Secret is gone too.
// Where the Secret stays, as an orphan from the start or as its owner was deleted without
// it, those that it tells of are left to end: nobody renews them any more.
func (r *Reconciler) ended(ctx context.Context, name types.NamespacedName) (reconcile.Result, error) {
	r.measure(func(s *standing) { s.drop(name) })
	h := r.holding(name)
	if len(h.leases) == 0 || h.stays {
		r.forget(name)
		return reconcile.Result{}, nil
	}
	meta, err := r.meta(ctx, h)
	if err != nil {
		return reconcile.Result{}, err
	}
	if meta != nil && h.made(meta) {
		return reconcile.Result{RequeueAfter: lookAgain}, nil
	}
	h.leases = untold(h.leases, meta)
	if h.gone.IsZero() {
		h.gone = r.Now()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Releasing)
	defer cancel()
	for i, l := range h.leases {
		err := r.Leases.Revoke(ctx, name.Namespace, l)
		if err == nil || !r.Now().Before(l.End()) {
			continue
		}
		if errors.Is(err, lease.ErrRefused) || r.Now().Sub(h.gone) > longestFarewell {
			r.Log.WarnContext(ctx, "a lease is not revoked, and ends by itself", "externalsecret", name, "ends", l.End().UTC().Format(time.RFC3339), "error", err)
			continue
		}
		r.remain(name, h, h.leases[i:])
		return reconcile.Result{}, fmt.Errorf("the ExternalSecret is gone: %w", err)
	}
	r.forget(name)
	return reconcile.Result{}, nil
}

// remain keeps those leases of an ExternalSecret that is gone which are still to be revoked.
func (r *Reconciler) remain(name types.NamespacedName, h held, rest []lease.Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.leases = rest
	r.held[name] = h
}

// replace ends the leases of an ExternalSecret of the same name that was here before, and
// reports whether it could: while its Secret is still there, who uses it needs them.
func (r *Reconciler) replace(ctx context.Context, one *esv1.ExternalSecret, last held) bool {
	meta, err := r.meta(ctx, last)
	if err != nil || meta != nil && last.made(meta) && !last.stays {
		return false
	}
	r.holds(one, nil)
	if !last.stays {
		r.release(ctx, one.Namespace, untold(last.leases, meta))
	}
	return true
}

// bereft retires leases whose Secret is gone or is somebody else's now, and tells when to
// come back: pods that run may have the values, and others follow them if they are made.
func (r *Reconciler) bereft(ctx context.Context, one *esv1.ExternalSecret, h held, meta *metav1.PartialObjectMetadata) time.Time {
	all, done := lease.Retire(untold(h.leases, meta), r.Now().UTC().Truncate(time.Second))
	var kept []lease.Lease
	for _, l := range all {
		if now, _ := r.turn(h, l); now {
			done = append(done, l)
			continue
		}
		kept = append(kept, l)
	}
	r.holds(one, kept)
	r.release(ctx, one.Namespace, done)
	return r.nextTurn(nameOf(one))
}

// dropUnused revokes what was made for a refresh that failed. Values that may have reached
// the Secret are left to end by themselves.
func (r *Reconciler) dropUnused(ctx context.Context, one *esv1.ExternalSecret, made []lease.Lease, failure error) {
	var write *unsure
	if failure == nil || errors.As(failure, &write) && write.mayBeWritten() {
		return
	}
	r.release(ctx, one.Namespace, made)
}

// unsure is an error of a write, after which the object may be there nevertheless.
type unsure struct{ err, told error }

// Error implements error.
func (u *unsure) Error() string { return u.told.Error() }

// Unwrap is what is told.
func (u *unsure) Unwrap() error { return u.told }

// mayBeWritten reports whether the API server may have done what it was asked for.
func (u *unsure) mayBeWritten() bool {
	var status apierrors.APIStatus
	if !errors.As(u.err, &status) {
		return true
	}
	code := int(status.Status().Code)
	return code < http.StatusBadRequest || code >= http.StatusInternalServerError || code == http.StatusRequestTimeout
}

// untold are the leases that a Secret does not tell of, which may be nil. The others are
// of values that it has, whosever it is now.
func untold(all []lease.Lease, secret *metav1.PartialObjectMetadata) []lease.Lease {
	if secret == nil {
		return all
	}
	told := leasesOf(secret)
	return slices.DeleteFunc(slices.Clone(all), func(l lease.Lease) bool {
		return slices.ContainsFunc(told, func(t lease.Lease) bool { return t.ID == l.ID })
	})
}

// in reports whether a Secret is the one that has the values of these leases. One that
// nobody claims, as somebody took its owner away, has those that it tells of.
func (h *held) in(secret *metav1.PartialObjectMetadata) bool {
	return h.made(secret) || MakerOf(secret) == "" && len(untold(h.leases, secret)) < len(h.leases)
}

// made reports whether the ExternalSecret of these leases made a Secret.
func (h *held) made(secret metav1.Object) bool { return h.uid != "" && MakerOf(secret) == h.uid }
