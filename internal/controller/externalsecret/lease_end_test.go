package externalsecret_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/externalsecret"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
)

// TestASecretThatIsAskedToStayKeepsItsValues: with the propagation policy Orphan, the garbage collector takes the owner away first.
func TestASecretThatIsAskedToStayKeepsItsValues(t *testing.T) {
	for name, again := range map[string]bool{"deleted": false, "made again": true} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.borrows("kept", "")
			p.leases("kept", "1")
			p.says("kept", "True", "SecretSynced", "")
			r := p.engine(func(o *externalsecret.Options) { o.Grace, o.Compute = time.Second, compute.NewPool() })
			p.reconciled(r, "kept")
			secret, err := p.get("kept")
			if err != nil {
				t.Fatal(err)
			}
			secret.OwnerReferences = nil
			if err := kube.Update(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			if err := kube.Delete(t.Context(), &esv1.ExternalSecret{ObjectMeta: metadata(p.namespace, "kept")}); err != nil {
				t.Fatal(err)
			}
			if again {
				p.has(fmt.Sprintf(borrowing, "kept", "  target: {creationPolicy: None}\n"))
			}
			p.reconciled(r, "kept")
			p.until("nothing is revoked", func(d *desk) bool { return !slices.Contains(d.revoked, "1") })
			if !again {
				if result := p.reconciled(r, "kept"); result.RequeueAfter != 0 {
					t.Errorf("it is looked at again in %s", result.RequeueAfter)
				}
			}
		})
	}
}

// TestAServerThatHangsHoldsNobodyUp: what is not revoked in time is left to end.
func TestAServerThatHangsHoldsNobodyUp(t *testing.T) {
	p := newPlace(t)
	p.borrows("kept", "")
	secret := p.leases("kept", "1")
	p.says("kept", "True", "SecretSynced", "")
	all := lease.Parse(secret.Annotations[esv1.AnnotationLeases])
	for i := range 500 {
		old := all[0]
		old.ID, old.Retired = fmt.Sprint("database/creds/app/old-", i), time.Now().Add(-time.Hour)
		all = append([]lease.Lease{old}, all...)
	}
	embeddedtest.Eventually(t, func(context.Context) (err error) {
		if secret, err = p.get("kept"); err != nil {
			return err
		}
		secret.Annotations[esv1.AnnotationLeases] = lease.Text(all)
		return kube.Update(t.Context(), secret)
	})
	lenders.at(p.namespace, func(d *desk) { d.hangs = true })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a tenth of a second each would be longer
	defer cancel()
	r := p.engine(func(o *externalsecret.Options) { o.Releasing = 100 * time.Millisecond })
	if _, err := r.Reconcile(ctx, p.request("kept")); err != nil {
		t.Fatal(err)
	}
	p.leases("kept", "1")
	lenders.at(p.namespace, func(d *desk) { d.hangs = false })
}

// refusing is a cluster that lets nobody change the values of a Secret by a merge patch.
type refusing struct{ client.Client }

func (c refusing) Patch(ctx context.Context, one client.Object, patch client.Patch, options ...client.PatchOption) error {
	if text, err := patch.Data(one); err == nil && patch.Type() == types.MergePatchType && strings.Contains(string(text), `"data"`) {
		return apierrors.NewForbidden(corev1.Resource("secrets"), one.GetName(), errors.New("a webhook denies it"))
	}
	return c.Client.Patch(ctx, one, patch, options...)
}

// TestWhatIsWrittenIsNotRevoked, although keys of others cannot be taken out.
func TestWhatIsWrittenIsNotRevoked(t *testing.T) {
	p := newPlace(t)
	p.borrows("kept", "  target: {creationPolicy: Orphan}\n")
	secret := p.leases("kept", "1")
	p.says("kept", "True", "SecretSynced", "")
	secret.Data["foreign"] = []byte("x")
	if err := kube.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	lenders.at(p.namespace, func(d *desk) { d.renew = final })
	ahead := p.engine(func(o *externalsecret.Options) {
		o.Cluster, o.Compute, o.Now = refusing{kube}, compute.NewPool(), func() time.Time { return time.Now().Add(50 * time.Minute) }
	})
	_, err := ahead.Reconcile(t.Context(), p.request("kept"))
	if err == nil || !strings.Contains(err.Error(), "keys of others") {
		t.Fatalf("got %v", err)
	}
	p.secret("kept", map[string]string{"password": "planted-2", "foreign": "x"})
	p.until("nothing is revoked", func(d *desk) bool { return len(d.revoked) == 0 })
}

// TestWhatCannotBeRevokedIsGivenUp: what it was made with may be gone for good.
func TestWhatCannotBeRevokedIsGivenUp(t *testing.T) {
	p := newPlace(t)
	p.borrows("kept", "")
	secret := p.leases("kept", "1")
	p.says("kept", "True", "SecretSynced", "")
	all := lease.Parse(secret.Annotations[esv1.AnnotationLeases])
	all[0].Ends = all[0].Ends.Add(100 * time.Hour)
	secret.Annotations[esv1.AnnotationLeases] = lease.Text(all)
	if err := kube.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	lenders.at(p.namespace, func(d *desk) { d.renew = func(l lease.Lease) (lease.Lease, error) { return l, nil } })
	late := time.Duration(0)
	r := p.engine(func(o *externalsecret.Options) { o.Now = func() time.Time { return time.Now().Add(late) } })
	p.reconciled(r, "kept")
	lenders.at(p.namespace, func(d *desk) { d.unable = errors.New("the Secret of the login is gone") })
	for _, gone := range []client.Object{&esv1.ExternalSecret{ObjectMeta: metadata(p.namespace, "kept")}, secret} {
		if err := client.IgnoreNotFound(kube.Delete(t.Context(), gone)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Reconcile(t.Context(), p.request("kept")); err == nil || !strings.Contains(err.Error(), "login is gone") {
		t.Fatalf("got %v", err)
	}
	late = 25 * time.Hour
	if result := p.reconciled(r, "kept"); result.RequeueAfter != 0 {
		t.Errorf("it is tried again in %s", result.RequeueAfter)
	}
	lenders.at(p.namespace, func(d *desk) { d.unable = nil })
}

// alone is an ExternalSecret that one engine of the test reconciles, which has a clock to be turned.
type alone struct {
	place
	*externalsecret.Reconciler

	late time.Duration
}

// alone has an engine hold the leases of an ExternalSecret, with a grace of an hour; the other engine has nothing to do before the test turns the clock.
func (p place) alone(more string) *alone {
	p.Helper()
	p.borrows("kept", more)
	p.leases("kept", "1")
	p.says("kept", "True", "SecretSynced", "")
	a := &alone{place: p}
	a.Reconciler = p.engine(func(o *externalsecret.Options) {
		o.Compute, o.Now = compute.NewPool(), func() time.Time { return time.Now().Add(a.late) }
	})
	p.reconciled(a.Reconciler, "kept")
	return a
}

// made is how many leases were made and renewed, and which were revoked.
func (p place) made() (made, renewals int, revoked string) {
	lenders.at(p.namespace, func(d *desk) { made, renewals, revoked = d.made, d.renewals, strings.Join(d.revoked, " ") })
	return made, renewals, revoked
}

// change changes the Secret of an ExternalSecret by another hand.
func (p place) change(do func(secret *corev1.Secret)) {
	p.Helper()
	embeddedtest.Eventually(p, func(ctx context.Context) error {
		secret, err := p.get("kept")
		if err != nil {
			return err
		}
		do(secret)
		return kube.Update(ctx, secret)
	})
}

// TestLeasesOfAnotherPolicyAreLeftToEnd: nothing is made for nobody, again and again.
func TestLeasesOfAnotherPolicyAreLeftToEnd(t *testing.T) {
	a := newPlace(t).alone("")
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var one esv1.ExternalSecret
		if err := kube.Get(ctx, a.request("kept").NamespacedName, &one); err != nil {
			return err
		}
		one.Spec.Target.CreationPolicy = esv1.CreateNone
		return kube.Update(ctx, &one)
	})
	lenders.at(a.namespace, func(d *desk) { d.renew = final })
	a.late = 50 * time.Minute
	for range 2 {
		if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter != 0 {
			t.Errorf("it comes back in %s", result.RequeueAfter)
		}
	}
	if made, _, revoked := a.made(); made != 1 || revoked != "" {
		t.Errorf("%d are made, and revoked are %q", made, revoked)
	}
}

// TestValuesWithoutOthersRest: a store that has no values any more is not asked each second.
func TestValuesWithoutOthersRest(t *testing.T) {
	a := newPlace(t).alone("")
	lenders.at(a.namespace, func(d *desk) { d.renew, d.empty = final, true })
	a.late = 50 * time.Minute
	for range 2 {
		if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter < 4*time.Minute {
			t.Errorf("it comes back in %s", result.RequeueAfter)
		}
	}
	if made, _, revoked := a.made(); made != 2 || revoked != "2" {
		t.Errorf("%d are made, and revoked are %q", made, revoked)
	}
	a.secret("kept", map[string]string{"password": "planted-1"})
}

// TestTheSecretOfAnOrphanIsDeleted: nobody makes it again, and its lease is revoked after the grace.
func TestTheSecretOfAnOrphanIsDeleted(t *testing.T) {
	a := newPlace(t).alone("  target: {creationPolicy: Orphan}\n")
	if err := kube.Delete(t.Context(), &corev1.Secret{ObjectMeta: metadata(a.namespace, "kept")}); err != nil {
		t.Fatal(err)
	}
	if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter < 30*time.Minute {
		t.Errorf("it comes back in %s", result.RequeueAfter)
	}
	a.late = time.Hour
	lenders.at(a.namespace, func(d *desk) { d.revoked = nil })
	if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter != 0 {
		t.Errorf("it comes back in %s", result.RequeueAfter)
	}
	if made, _, revoked := a.made(); made != 1 || revoked != "1" {
		t.Errorf("%d are made, and revoked are %q", made, revoked)
	}
}

// TestASecretWithoutItsOwner tells of its lease, which is renewed as before; with another one, it has its own.
func TestASecretWithoutItsOwner(t *testing.T) {
	a := newPlace(t).alone("")
	a.change(func(s *corev1.Secret) { s.OwnerReferences = nil })
	a.late = 50 * time.Minute
	lenders.at(a.namespace, func(d *desk) {
		d.renew = func(l lease.Lease) (lease.Lease, error) {
			l.Renewed, l.Ends = l.Renewed.Add(a.late), l.Ends.Add(a.late)
			return l, nil
		}
	})
	if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter < 30*time.Minute {
		t.Errorf("it comes back in %s", result.RequeueAfter)
	}
	if made, renewals, revoked := a.made(); made != 1 || renewals != 2 || revoked != "" {
		t.Errorf("%d are made, %d renewals, and revoked are %q", made, renewals, revoked)
	}
	yes, other := true, &corev1.ConfigMap{ObjectMeta: metadata(a.namespace, "other")} // there is one, else the Secret is collected
	if err := kube.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	a.change(func(s *corev1.Secret) {
		s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: other.UID, Controller: &yes}}
	})
	a.late = 3 * time.Hour
	if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter != 0 {
		t.Errorf("with another owner, it comes back in %s", result.RequeueAfter)
	}
	if made, _, revoked := a.made(); made != 1 || revoked != "" {
		t.Errorf("with another owner, %d are made, and revoked are %q", made, revoked)
	}
}

// TestAnImmutableSecretIsRenewedToTheEnd: one failure does not end the renewals, and what cannot be renewed is told once.
func TestAnImmutableSecretIsRenewedToTheEnd(t *testing.T) {
	a := newPlace(t).alone("  target: {immutable: true}\n")
	lenders.at(a.namespace, func(d *desk) {
		d.renew = func(l lease.Lease) (lease.Lease, error) { return l, errors.New("connection refused") }
	})
	a.late = 55 * time.Minute
	if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter < 2*time.Second || result.RequeueAfter > time.Minute {
		t.Fatalf("it comes back in %s", result.RequeueAfter)
	}
	a.says("kept", "True", "SecretSynced", "connection refused")
	lenders.at(a.namespace, func(d *desk) {
		d.renew = func(l lease.Lease) (lease.Lease, error) {
			l.Renewed = l.Renewed.Add(55 * time.Minute)
			l.Ends = l.Renewed.Add(time.Hour)
			return l, nil
		}
	})
	a.late += time.Minute
	if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter < 30*time.Minute {
		t.Fatalf("renewed, it comes back in %s", result.RequeueAfter)
	}
	a.says("kept", "True", "SecretSynced", "is up to date")
	lenders.at(a.namespace, func(d *desk) { d.renew = final })
	for _, late := range []time.Duration{100 * time.Minute, 101 * time.Minute, 3 * time.Hour} {
		a.late = late
		if result := a.reconciled(a.Reconciler, "kept"); result.RequeueAfter < 10*time.Minute {
			t.Errorf("after %s, it comes back in %s", late, result.RequeueAfter)
		}
		a.says("kept", "True", "SecretSynced", "immutable")
	}
	if made, _, revoked := a.made(); made != 1 || revoked != "" {
		t.Errorf("%d are made, and revoked are %q", made, revoked)
	}
}
