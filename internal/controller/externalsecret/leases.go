package externalsecret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
)

// Leases renews and revokes those of values that end.
type Leases interface {
	Renew(ctx context.Context, namespace string, l lease.Lease) (lease.Lease, error)
	Revoke(ctx context.Context, namespace string, l lease.Lease) error
}

// held are the leases of the Secret of an ExternalSecret, as they were seen last: when
// both are gone, nothing else tells of them.
type held struct {
	uid    types.UID
	target types.NamespacedName
	// stays is that the Secret does when the ExternalSecret goes.
	stays  bool
	leases []lease.Lease
	// gone is when the ExternalSecret was seen to be, with its Secret.
	gone time.Time
	// adopted are those that this engine made or renewed, by their IDs.
	adopted map[string]bool
	// pause is when a renewal is tried again that failed, by the ID of the lease.
	pause map[string]time.Time
}

const (
	defaultGrace     = time.Hour
	defaultReleasing = 30 * time.Second
	// lookAgain is when an ExternalSecret that is gone is looked at again whose Secret is
	// still there.
	lookAgain = 2 * time.Second
	// longestFarewell is for how long leases of an ExternalSecret that is gone are tried to be
	// revoked: what they were made with may be gone too, and may not come back.
	longestFarewell = 24 * time.Hour
	// stuckAgain is when a lease is looked at again that cannot be renewed, and whose values
	// cannot be replaced; restsFor is that of values for which there were no others.
	stuckAgain = 24 * time.Hour
	restsFor   = 5 * time.Minute
	// soonest and part are how long a renewal waits that failed: a part of the time that
	// is left.
	soonest = 2 * time.Second
	part    = 10
	// last is the part of a lease's time in which others are made, if it cannot be renewed:
	// why not may concern this lease alone.
	last = 6
)

// lends reports whether the leases of values are kept: only of Secrets that a single
// ExternalSecret writes, as those tell of them.
func lends(one *esv1.ExternalSecret) bool {
	policy := one.Spec.Target.CreationPolicy
	return one.Spec.Target.Manifest == nil && (policy == "" || policy == esv1.CreateOwner || policy == esv1.CreateOrphan)
}

func leasesOf(secret metav1.Object) []lease.Lease {
	return lease.Parse(secret.GetAnnotations()[esv1.AnnotationLeases])
}

// hold remembers the leases that a Secret tells of. Those of an ExternalSecret of the same
// name that was here before are ended first.
func (r *Reconciler) hold(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret) {
	last := r.holding(nameOf(one))
	if len(last.leases) > 0 && last.uid != one.UID {
		if !r.replace(ctx, one, last) {
			return
		}
		last = held{}
	}
	if !lends(one) { // it was another policy that kept them: they are left to end
		r.holds(one, nil)
		return
	}
	if len(last.leases) == 0 && there != nil && lends(one) && MadeBy(one, there) { // else the cache may be behind
		r.holds(one, leasesOf(there))
	}
}

// holds remembers leases as they are now.
func (r *Reconciler) holds(one *esv1.ExternalSecret, all []lease.Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.held[nameOf(one)]
	if len(all) == 0 {
		delete(r.held, nameOf(one))
		return
	}
	now := held{
		uid: one.UID, target: target(one), stays: one.Spec.Target.CreationPolicy == esv1.CreateOrphan, leases: all,
		adopted: map[string]bool{}, pause: map[string]time.Time{},
	}
	for _, l := range all {
		now.adopted[l.ID] = last.adopted[l.ID]
		now.pause[l.ID] = last.pause[l.ID]
	}
	r.held[nameOf(one)] = now
}

func (r *Reconciler) holding(name types.NamespacedName) held {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[name]
}

// adopt notes that a lease was asked for, and when it is tried again if that failed.
func (r *Reconciler) adopt(name types.NamespacedName, id string, again time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h, ok := r.held[name]; ok {
		h.adopted[id], h.pause[id] = h.adopted[id] || again.IsZero(), again
	}
}

// turn is when something is to be done about a lease, and whether that is now.
func (r *Reconciler) turn(h held, l lease.Lease) (now bool, at time.Time) {
	switch {
	case !l.Live():
		at = l.Until(r.Grace)
	case !h.pause[l.ID].IsZero():
		at = h.pause[l.ID]
		if end := l.End(); at.After(end) && r.Now().Before(end) {
			at = end
		}
	case l.Due(r.Now()) || !l.Final && !h.adopted[l.ID]:
		return true, time.Time{}
	default:
		at = l.Next()
	}
	return !r.Now().Before(at), at
}

// nextTurn is when something is to be done about the leases of an ExternalSecret; the
// zero time for never.
func (r *Reconciler) nextTurn(name types.NamespacedName) (next time.Time) {
	h := r.holding(name)
	for _, l := range h.leases {
		now, at := r.turn(h, l)
		if now {
			return r.Now()
		}
		next = earlier(next, at)
	}
	return next
}

// earlier is the first of two times, of which the zero one never comes.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// tend renews the leases of a Secret whose time has come, and revokes those that were
// replaced. It tells whether new values are needed, and else when to come back.
func (r *Reconciler) tend(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret) (over bool, look time.Time, err error) {
	name := nameOf(one)
	h := r.holding(name)
	if look = r.nextTurn(name); look.IsZero() || there != nil && look.After(r.Now()) {
		return false, look, nil
	}
	meta, err := r.meta(ctx, h)
	switch {
	case err != nil:
		return false, r.Now(), err
	case meta == nil || !h.in(meta):
		return false, r.bereft(ctx, one, h, meta), nil
	case look.After(r.Now()):
		return false, look, nil
	}
	return r.turns(ctx, one, there, meta)
}

// turns does what is due for the leases that a Secret tells of.
func (r *Reconciler) turns(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret, meta *metav1.PartialObjectMetadata) (over bool, look time.Time, trouble error) {
	name := nameOf(one)
	h, told := r.holding(name), leasesOf(meta)
	var kept, done []lease.Lease
	asked, stuck := false, fixed(one, there)
	for _, l := range joined(h.leases, told) {
		now, _ := r.turn(h, l)
		switch {
		case !now:
			kept = append(kept, l)
		case !l.Live():
			done = append(done, l)
		default:
			renewed, ended := r.renew(ctx, one, l, stuck)
			if ended && stuck {
				r.adopt(name, l.ID, r.Now().Add(stuckAgain))
				trouble = errors.Join(trouble, r.tellTrouble(ctx, one, l, errFixed))
			}
			over, asked = over || ended && !stuck, true
			kept = append(kept, renewed)
		}
	}
	if !slices.Equal(kept, told) {
		if err := r.note(ctx, one, meta, kept); err != nil {
			return false, r.Now(), err
		}
	}
	r.holds(one, kept)
	r.release(ctx, one.Namespace, done)
	if asked && !over {
		r.renewedAgain(ctx, one, there)
	}
	return over, r.nextTurn(name), trouble
}

// rest has leases wait that a refresh did not replace, although it succeeded: the store
// has no values any more, and the Secret keeps those that it has.
func (r *Reconciler) rest(name types.NamespacedName) {
	h := r.holding(name)
	for _, l := range h.leases {
		now, _ := r.turn(h, l)
		if left := l.End().Sub(r.Now()); now && l.Live() {
			wait := restsFor
			if left > 0 && !l.Final {
				wait = max(soonest, min(wait, left/part))
			}
			r.adopt(name, l.ID, r.Now().Add(wait))
		}
	}
}

// renewedAgain says that a Secret is as it should be whose leases could not be renewed for
// a time, or were to be replaced meanwhile, in vain.
func (r *Reconciler) renewedAgain(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret) {
	for _, again := range r.holding(nameOf(one)).pause {
		if !again.IsZero() {
			return // another lease still cannot
		}
	}
	now := slices.IndexFunc(one.Status.Conditions, func(c esv1.Condition) bool { return c.Type == conditionReady })
	if now < 0 {
		return
	}
	ready, reason := one.Status.Conditions[now], reasonSynced
	if ready.Status == string(metav1.ConditionTrue) {
		reason = ready.Reason
	} else if due, _ := r.due(one, there); due || r.damaged(one, there) {
		return // it is not ready for another reason
	}
	if ready.Status == string(metav1.ConditionTrue) && ready.Message == upToDate {
		return
	}
	if err := r.condition(ctx, one, reason, upToDate); err != nil {
		r.Log.DebugContext(ctx, "cannot write the status", "externalsecret", nameOf(one), "error", err)
	}
}

// joined are the leases that are remembered, and those that only the Secret tells of, as
// nobody answered when they were written.
func joined(before, told []lease.Lease) []lease.Lease {
	all := slices.Clone(before)
	for _, l := range told {
		if !slices.ContainsFunc(before, func(b lease.Lease) bool { return b.ID == l.ID }) {
			all = append(all, l)
		}
	}
	return all
}

// errFixed is of credentials that no others can be written for.
var errFixed = errors.New("the Secret is immutable, so no others can take their place: delete it, or leave out target.immutable")

// renew asks for more time for values in use. Values that end nevertheless have to be
// replaced; a server that is away is asked again while they count, to the end where they
// are stuck, as no others can be written.
func (r *Reconciler) renew(ctx context.Context, one *esv1.ExternalSecret, l lease.Lease, stuck bool) (_ lease.Lease, over bool) {
	name, now := nameOf(one), r.Now()
	if !now.Before(l.End()) || l.Final {
		return l, true
	}
	renewed, err := r.Leases.Renew(ctx, one.Namespace, l)
	switch {
	case errors.Is(err, lease.ErrOver):
		r.Log.InfoContext(ctx, "credentials are made anew, as their lease has ended", "externalsecret", name, "reason", err)
		return l, true
	case err != nil:
		left := l.End().Sub(now)
		over = !stuck && left < time.Duration(l.Span)*time.Second/last
		r.adopt(name, l.ID, now.Add(max(soonest, left/part)))
		r.Log.WarnContext(ctx, "a lease cannot be renewed for now", "externalsecret", name, "left", left.Round(time.Second), "error", err)
		if err := r.tellTrouble(ctx, one, l, err); err != nil {
			r.Log.DebugContext(ctx, "cannot write the status", "externalsecret", name, "error", err)
		}
		return l, over
	}
	r.adopt(name, l.ID, time.Time{})
	return renewed, renewed.Final && renewed.Due(now)
}

// tellTrouble says in the condition of a Secret that is as it should be that its lease
// cannot be renewed, or not any more.
func (r *Reconciler) tellTrouble(ctx context.Context, one *esv1.ExternalSecret, l lease.Lease, failure error) error {
	text := fmt.Sprintf("%s; its lease cannot be renewed, and ends at %s: %s", upToDate, l.End().UTC().Format(time.RFC3339), gitops.First(failure.Error(), longestMessage))
	for _, c := range one.Status.Conditions {
		if c.Type == conditionReady && c.Status == string(metav1.ConditionTrue) && c.Message != text {
			return r.condition(ctx, one, c.Reason, text)
		}
	}
	return nil
}

// meta are the Secret's at the API server, whosever it is now; nil where it is gone.
func (r *Reconciler) meta(ctx context.Context, h held) (*metav1.PartialObjectMetadata, error) {
	now := &metav1.PartialObjectMetadata{}
	now.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(secretKind))
	err := r.Cluster.Get(ctx, h.target, now)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", h.target, err)
	}
	return now, nil
}

// note writes leases into the metadata of a Secret, whose values stay as they are.
func (r *Reconciler) note(ctx context.Context, one *esv1.ExternalSecret, meta *metav1.PartialObjectMetadata, all []lease.Lease) error {
	var text any // null removes it
	if len(all) > 0 {
		text = lease.Text(all)
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": meta.UID, "annotations": map[string]any{esv1.AnnotationLeases: text}}})
	if err != nil {
		return err
	}
	before := meta.ResourceVersion
	err = r.Cluster.Patch(ctx, meta, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(manager))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // another one is there, or none, as is seen in a moment
	}
	if err != nil {
		return fmt.Errorf("cannot note the leases of Secret %s: %w", target(one), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := r.written[nameOf(one)]; last.version == before { // nobody else touched it
		last.version = meta.ResourceVersion
		r.written[nameOf(one)] = last
	}
	return nil
}

// tellLeases puts the leases of new values into the object, with those of the values that
// they replace: pods have these until they are restarted. It returns all that the object
// tells of, and those that are too many.
func (r *Reconciler) tellLeases(one *esv1.ExternalSecret, there *corev1.Secret, wanted *unstructured.Unstructured, fresh []lease.Lease) (all, tooMany []lease.Lease) {
	if !lends(one) {
		return nil, nil
	}
	before := r.holding(nameOf(one)).leases
	if there != nil && MadeBy(one, there) {
		before = joined(before, leasesOf(there))
	}
	all, tooMany = lease.Retire(before, r.Now().UTC().Truncate(time.Second))
	all = append(all, fresh...)
	if len(all) == 0 {
		return nil, tooMany
	}
	annotations := wanted.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[esv1.AnnotationLeases] = lease.Text(all)
	wanted.SetAnnotations(annotations)
	return all, tooMany
}
