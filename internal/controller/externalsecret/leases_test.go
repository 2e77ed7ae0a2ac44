package externalsecret_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/externalsecret"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/fetch"
	"github.com/causeway-gitops/causeway/internal/secrets/generator"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// lender is a server of credentials, of which each namespace has its own. What it says of times makes leases due that were just made: no test waits.
type lender struct {
	mu   sync.Mutex
	desk map[string]*desk
}

// desk is what a namespace is answered.
type desk struct {
	made, renewals int
	revoked        []string
	// age is how long ago leases were made that are made now; an hour is how long they count.
	age time.Duration
	// renew answers what is asked next; a whole hour where it is nil.
	renew func(l lease.Lease) (lease.Lease, error)
	// lend fails what is made next, if it does.
	lend func() error
	// revoking is called before something is revoked.
	revoking func()
	// hangs is that a revocation is not answered.
	hangs bool
	// empty is that leases are made without values.
	empty bool
	// unable is why nothing is revoked.
	unable error
}

var lenders = &lender{desk: map[string]*desk{}}

// at is what a namespace is answered, to be changed.
func (l *lender) at(namespace string, do func(d *desk)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.desk[namespace] == nil {
		l.desk[namespace] = &desk{}
	}
	do(l.desk[namespace])
}

func namespaceOf(around store.Around) string {
	_, namespace, _ := strings.Cut(around.Whose(), " ")
	return namespace
}

func (l *lender) Lend(_ context.Context, _ json.RawMessage, around store.Around) (values map[string][]byte, made *lease.Lease, err error) {
	l.at(namespaceOf(around), func(d *desk) {
		d.made++
		if d.lend != nil {
			if err = d.lend(); err != nil {
				return
			}
		}
		at := time.Now().UTC().Add(-d.age)
		made = &lease.Lease{ID: fmt.Sprint("database/creds/app/", d.made), Renewable: true, Span: 3600, Made: at, Renewed: at, Ends: at.Add(time.Hour)}
		if values = map[string][]byte{}; !d.empty {
			values["password"] = fmt.Appendf(nil, "planted-%d", d.made)
		}
	})
	return values, made, err
}

func (l *lender) Renew(_ context.Context, _ json.RawMessage, around store.Around, one lease.Lease) (lease.Lease, error) {
	var answer func(lease.Lease) (lease.Lease, error)
	l.at(namespaceOf(around), func(d *desk) {
		d.renewals++
		answer = d.renew
	})
	if answer != nil {
		return answer(one)
	}
	return renewed(one)
}

func renewed(one lease.Lease) (lease.Lease, error) {
	one.Renewed = time.Now().UTC()
	one.Ends = one.Renewed.Add(time.Hour)
	return one, nil
}

// final is a lease that cannot be renewed, and is due.
func final(one lease.Lease) (lease.Lease, error) {
	one.Final = true
	return one, nil
}

func (l *lender) Revoke(ctx context.Context, _ json.RawMessage, around store.Around, one lease.Lease) error {
	hangs, failed := false, error(nil)
	l.at(namespaceOf(around), func(d *desk) {
		if d.revoking != nil {
			d.revoking()
		}
		if hangs, failed = d.hangs, d.unable; !hangs && failed == nil {
			d.revoked = append(d.revoked, one.ID[strings.LastIndex(one.ID, "/")+1:])
		}
	})
	if hangs {
		<-ctx.Done()
	}
	return errors.Join(ctx.Err(), failed)
}

// borrows has a VaultDynamicSecret, and an ExternalSecret with its values.
func (p place) borrows(name, more string) {
	p.Helper()
	one := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "generators.external-secrets.io/v1alpha1", "kind": "VaultDynamicSecret", "metadata": map[string]any{"name": "db", "namespace": p.namespace},
		"spec": map[string]any{},
	}}
	if err := kube.Create(p.Context(), one); err != nil {
		p.Fatal(err)
	}
	p.has(fmt.Sprintf(borrowing, name, more))
}

const borrowing = `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: %s}
spec:
  refreshPolicy: CreatedOnce
  dataFrom: [{sourceRef: {generatorRef: {kind: VaultDynamicSecret, name: db}}}]
%s`

// until waits until what a namespace was answered is as it should be.
func (p place) until(what string, is func(d *desk) bool) {
	p.Helper()
	embeddedtest.Eventually(p, func(context.Context) (err error) {
		lenders.at(p.namespace, func(d *desk) {
			if !is(d) {
				err = fmt.Errorf("%s: %d made, %d renewals, revoked %v", what, d.made, d.renewals, d.revoked)
			}
		})
		return err
	})
}

// leases waits until a Secret tells of leases, by the ends of their IDs; with a minus, of one that was replaced.
func (p place) leases(name, want string) *corev1.Secret {
	p.Helper()
	var secret *corev1.Secret
	embeddedtest.Eventually(p, func(context.Context) (err error) {
		if secret, err = p.get(name); err != nil {
			return err
		}
		var got []string
		for _, l := range lease.Parse(secret.Annotations[esv1.AnnotationLeases]) {
			id := l.ID[strings.LastIndex(l.ID, "/")+1:]
			if !l.Live() {
				id = "-" + id
			}
			got = append(got, id)
		}
		if text := strings.Join(got, " "); text != want {
			return fmt.Errorf("the leases are %q, want %q", text, want)
		}
		return nil
	})
	return secret
}

func (p place) tellsNothing(secret *corev1.Secret) {
	p.Helper()
	if text := fmt.Sprint(secret.Annotations); strings.Contains(text, "planted") {
		p.Errorf("an annotation has a value: %s", text)
	}
}

func TestLeasesAreRenewed(t *testing.T) {
	p := newPlace(t)
	lenders.at(p.namespace, func(d *desk) { d.age = 50 * time.Minute })
	p.borrows("kept", "")
	p.until("renewed", func(d *desk) bool { return d.renewals > 0 })
	secret := p.leases("kept", "1")
	embeddedtest.Eventually(t, func(context.Context) (err error) {
		if secret, err = p.get("kept"); err != nil {
			return err
		}
		if l := lease.Parse(secret.Annotations[esv1.AnnotationLeases])[0]; time.Until(l.Ends) < 30*time.Minute {
			return fmt.Errorf("the lease ends at %s", l.Ends)
		}
		return nil
	})
	p.secret("kept", map[string]string{"password": "planted-1"})
	p.tellsNothing(secret)
	p.until("made once", func(d *desk) bool { return d.made == 1 && len(d.revoked) == 0 })
	lenders.at(p.namespace, func(d *desk) {
		d.revoking = func() {
			if _, err := p.get("kept"); !apierrors.IsNotFound(err) {
				t.Errorf("it is revoked while the Secret is there: %v", err)
			}
		}
	})
	if err := kube.Delete(t.Context(), &esv1.ExternalSecret{ObjectMeta: metadata(p.namespace, "kept")}); err != nil {
		t.Fatal(err)
	}
	if err := client.IgnoreNotFound(kube.Delete(t.Context(), secret)); err != nil { // as the garbage collector does
		t.Fatal(err)
	}
	p.until("revoked", func(d *desk) bool { return slices.Equal(d.revoked, []string{"1"}) })
}

func TestLeasesThatCannotBeRenewedAreReplaced(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		answer func(lease.Lease) (lease.Lease, error)
	}{
		"final": {"a server that gives less than before", final},
		"over":  {"a lease that has ended", func(l lease.Lease) (lease.Lease, error) { return l, fmt.Errorf("cannot: %w", lease.ErrOver) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			lenders.at(p.namespace, func(d *desk) {
				d.age = 50 * time.Minute
				d.renew = func(l lease.Lease) (lease.Lease, error) {
					lenders.at(p.namespace, func(d *desk) { d.age, d.renew = 0, nil })
					return tc.answer(l)
				}
			})
			p.borrows("kept", "")
			secret := p.secret("kept", map[string]string{"password": "planted-2"})
			if secret.Annotations[esv1.AnnotationChanged] == "" {
				t.Errorf("%s: pods are not told", tc.reason)
			}
			p.until("the first is revoked after its grace", func(d *desk) bool { return slices.Equal(d.revoked, []string{"1"}) })
			p.tellsNothing(p.leases("kept", "2"))
		})
	}
}

// TestAServerThatIsAwayEndsNothing: values stay while they count, and the status tells of it.
func TestAServerThatIsAwayEndsNothing(t *testing.T) {
	p := newPlace(t)
	lenders.at(p.namespace, func(d *desk) {
		d.age = 45 * time.Minute
		d.renew = func(l lease.Lease) (lease.Lease, error) { return l, errors.New("connection refused") }
	})
	p.borrows("kept", "")
	p.says("kept", "True", "SecretSynced", "its lease cannot be renewed")
	p.until("made once", func(d *desk) bool { return d.made == 1 && len(d.revoked) == 0 })
	p.secret("kept", map[string]string{"password": "planted-1"})
	lenders.at(p.namespace, func(d *desk) { d.renew = nil }) // it is back
	result, err := p.engine(func(*externalsecret.Options) {}).Reconcile(t.Context(), p.request("kept"))
	if err != nil || result.RequeueAfter < 30*time.Minute {
		t.Fatalf("it comes back in %s: %v", result.RequeueAfter, err)
	}
	p.says("kept", "True", "SecretSynced", "is up to date")
	p.until("and still made once", func(d *desk) bool { return d.made == 1 })
}

// TestALeaseThatCannotBeRenewedIsReplacedAtLast: why it cannot may concern it alone.
func TestALeaseThatCannotBeRenewedIsReplacedAtLast(t *testing.T) {
	p := newPlace(t)
	lenders.at(p.namespace, func(d *desk) {
		d.age = 55 * time.Minute
		d.renew = func(l lease.Lease) (lease.Lease, error) {
			lenders.at(p.namespace, func(d *desk) { d.age = 0 })
			return l, errors.New("its user is gone from the database")
		}
	})
	p.borrows("kept", "")
	p.secret("kept", map[string]string{"password": "planted-2"})
	p.says("kept", "True", "SecretSynced", "is up to date")
}

// TestValuesThatHaveEnded: a server that is away past the end is told of, and others are made when it is back.
func TestValuesThatHaveEnded(t *testing.T) {
	p := newPlace(t)
	away := errors.New("connection refused")
	lenders.at(p.namespace, func(d *desk) {
		d.age = time.Hour
		d.lend = func() error {
			if d.made > 1 {
				return away
			}
			return nil
		}
	})
	p.borrows("kept", "")
	p.says("kept", "False", "SecretSyncedError", "the Secret is as it was at")
	p.secret("kept", map[string]string{"password": "planted-1"})
	made := 0
	lenders.at(p.namespace, func(d *desk) { d.age, d.lend, made = 0, nil, d.made })
	p.says("kept", "True", "SecretSynced", "is up to date")
	p.secret("kept", map[string]string{"password": fmt.Sprint("planted-", made+1)})
}

func TestEachRefreshMakesOthers(t *testing.T) {
	p := newPlace(t)
	p.borrows("made", "  refreshInterval: 1h\n")
	p.leases("made", "1")
	p.says("made", "True", "SecretSynced", "")
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var one esv1.ExternalSecret
		if err := kube.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: "made"}, &one); err != nil {
			return err
		}
		one.Spec.RefreshPolicy = esv1.RefreshOnChange
		return kube.Update(ctx, &one)
	})
	p.secret("made", map[string]string{"password": "planted-2"})
	p.until("the first is revoked after its grace", func(d *desk) bool { return slices.Equal(d.revoked, []string{"1"}) })
	p.leases("made", "2")
	p.says("made", "True", "SecretSynced", "")
	// Without the generator, the lease is one of values that are replaced.
	p.has(`
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: values}
spec: {provider: {fake: {data: [{key: user, value: ada}]}}}
`)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var one esv1.ExternalSecret
		if err := kube.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: "made"}, &one); err != nil {
			return err
		}
		one.Spec.SecretStoreRef.Name, one.Spec.DataFrom = "values", nil
		one.Spec.Data = []esv1.ExternalSecretData{{SecretKey: "user", RemoteRef: esv1.RemoteRef{Key: "user"}}}
		return kube.Update(ctx, &one)
	})
	p.secret("made", map[string]string{"user": "ada"})
	p.until("the second is revoked too", func(d *desk) bool { return slices.Equal(d.revoked, []string{"1", "2"}) })
	p.leases("made", "")
}

// TestWhatIsNotWrittenIsRevoked: a refresh that fails leaves no credentials that nobody uses.
func TestWhatIsNotWrittenIsRevoked(t *testing.T) {
	p := newPlace(t)
	p.borrows("failing", "  target: {template: {data: {a: '{{ .nothing }}'}}}\n")
	p.says("failing", "False", "SecretSyncedError", "")
	p.until("revoked", func(d *desk) bool { return d.made > 0 && len(d.revoked) == d.made })
}

func TestOrphansAreLeftToEnd(t *testing.T) {
	p := newPlace(t)
	p.borrows("orphan", "  target: {creationPolicy: Orphan}\n")
	p.leases("orphan", "1")
	if err := kube.Delete(t.Context(), &esv1.ExternalSecret{ObjectMeta: metadata(p.namespace, "orphan")}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Never(t, 3*time.Second, func(context.Context) (err error) {
		lenders.at(p.namespace, func(d *desk) {
			if len(d.revoked) == 0 {
				err = errors.New("nothing is revoked")
			}
		})
		return err
	})
}

// TestMergedValuesAreNotKept: a Secret that several write tells of no lease.
func TestMergedValuesAreNotKept(t *testing.T) {
	p := newPlace(t)
	others := &corev1.Secret{ObjectMeta: metadata(p.namespace, "merged"), Data: map[string][]byte{"own": []byte("x")}}
	if err := kube.Create(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	p.borrows("merged", "  target: {creationPolicy: Merge}\n")
	p.secret("merged", map[string]string{"own": "x", "password": "planted-1"})
	p.leases("merged", "")
}

// engine is a controller that was just started: it knows of nothing but what is in the cluster.
func (p place) engine(change func(*externalsecret.Options)) *externalsecret.Reconciler {
	all := generator.Generators{
		Objects: kube, Lenders: map[string]generator.Lender{"VaultDynamicSecret": lenders},
		Around: store.NewShelf(store.Cluster{Server: &rest.Config{Host: config.Host}}, nil).Around,
	}
	o := externalsecret.Options{
		Objects: kube, Cluster: kube, Leases: all, Log: slog.New(slog.DiscardHandler), Sources: fetch.Sources{Generate: all.Generate, Lend: all.Lend},
	}
	change(&o)
	return externalsecret.New(o)
}

func (p place) request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: p.namespace, Name: name}}
}

// TestARestartMakesNoOthers: an engine that finds a Secret renews its lease, and makes nothing.
func TestARestartMakesNoOthers(t *testing.T) {
	p := newPlace(t)
	p.borrows("kept", "")
	p.leases("kept", "1")
	p.says("kept", "True", "SecretSynced", "")
	restarted := p.engine(func(*externalsecret.Options) {})
	for range 2 {
		result, err := restarted.Reconcile(t.Context(), p.request("kept"))
		if err != nil || result.RequeueAfter < 30*time.Minute {
			t.Fatalf("it comes back in %s: %v", result.RequeueAfter, err)
		}
		p.until("renewed once, by the engine that came later", func(d *desk) bool { return d.made == 1 && d.renewals == 1 })
	}
}

// dead is an engine that ends while it computes: it does nothing any more.
type dead struct{}

func (dead) Do(context.Context, compute.Job) (compute.Made, error) {
	return compute.Made{}, errors.New("killed")
}

func (dead) Renew(_ context.Context, _ string, l lease.Lease) (lease.Lease, error) {
	return l, errors.New("killed")
}

func (dead) Revoke(context.Context, string, lease.Lease) error { return errors.New("killed") }

// TestAnEngineThatEndsBetweenMakingAndWriting: nobody knows of what it made, so that it ends by itself, and the next engine makes what it writes.
func TestAnEngineThatEndsBetweenMakingAndWriting(t *testing.T) {
	p := newPlace(t)
	p.borrows("kept", "")
	secret := p.leases("kept", "1")
	killed := p.engine(func(o *externalsecret.Options) { o.Compute, o.Leases = dead{}, dead{} })
	if err := kube.Delete(t.Context(), secret); err != nil { // it is made again, by both
		t.Fatal(err)
	}
	_, _ = killed.Reconcile(t.Context(), p.request("kept"))
	embeddedtest.Eventually(t, func(context.Context) error {
		now, err := p.get("kept")
		if err != nil || now.UID == secret.UID {
			return fmt.Errorf("it is not made again (%w)", err)
		}
		told := lease.Parse(now.Annotations[esv1.AnnotationLeases])
		if n := len(told); n == 0 || !told[n-1].Live() || "planted-"+told[n-1].ID[len("database/creds/app/"):] != string(now.Data["password"]) {
			return fmt.Errorf("it tells of %v", told)
		}
		return nil
	})
}

func metadata(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// reconciled is what a controller says of an ExternalSecret, without an error.
func (p place) reconciled(r *externalsecret.Reconciler, name string) reconcile.Result {
	p.Helper()
	result, err := r.Reconcile(p.Context(), p.request(name))
	if err != nil {
		p.Fatal(err)
	}
	return result
}

// TestAnEngineThatEndsBetweenWritingAndTheStatus: the next one renews what it finds.
func TestAnEngineThatEndsBetweenWritingAndTheStatus(t *testing.T) {
	p := newPlace(t)
	p.borrows("kept", "")
	p.leases("kept", "1")
	p.says("kept", "True", "SecretSynced", "")
	one := &esv1.ExternalSecret{}
	if err := kube.Get(t.Context(), p.request("kept").NamespacedName, one); err != nil {
		t.Fatal(err)
	}
	one.Status = esv1.ExternalSecretStatus{}
	if err := kube.Status().Update(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	next := p.engine(func(*externalsecret.Options) {})
	if result := p.reconciled(next, "kept"); result.RequeueAfter != time.Second {
		t.Fatalf("it comes back in %s", result.RequeueAfter)
	}
	p.says("kept", "True", "SecretSynced", "")
	p.reconciled(next, "kept")
	p.until("renewed once", func(d *desk) bool { return d.made == 1 && d.renewals == 1 })
}

// TestAServerThatIsBackInTime: values that were to be replaced, in vain, go on to count.
func TestAServerThatIsBackInTime(t *testing.T) {
	p := newPlace(t)
	away := errors.New("connection refused")
	lenders.at(p.namespace, func(d *desk) {
		d.age = 55 * time.Minute
		d.renew = func(l lease.Lease) (lease.Lease, error) { return l, away }
		d.lend = func() error {
			if d.made > 1 {
				return away
			}
			return nil
		}
	})
	p.borrows("kept", "")
	p.says("kept", "False", "SecretSyncedError", "the Secret is as it was at")
	lenders.at(p.namespace, func(d *desk) { d.renew = nil })
	p.reconciled(p.engine(func(*externalsecret.Options) {}), "kept")
	p.says("kept", "True", "SecretSynced", "is up to date")
	p.secret("kept", map[string]string{"password": "planted-1"})
}
