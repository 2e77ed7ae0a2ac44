package pushsecret_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/pushsecret"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

type writable struct{ *memory }

func (writable) Writes() bool { return true }

// own is an engine that the test alone runs, for the PushSecret of a namespace whose store another controller has for the rest.
type own struct {
	t  *testing.T
	of *v1alpha1.PushSecret
	m  *memory
	// stale is what the cache has of the PushSecret; what there is when nil.
	stale *v1alpha1.PushSecret
	// unwritten are how many statuses are not written.
	unwritten int
}

func newOwn(t *testing.T, spec string) *own {
	namespace, m := setting(t, values)
	patch(t, &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s"}}, `{"spec":{"controller":"own"}}`)
	return &own{t: t, of: pushes(t, namespace, spec), m: m}
}

// started is one that has just started.
func (o *own) started() *pushsecret.Reconciler {
	return pushsecret.New(pushsecret.Options{
		Objects: stale{kube, o}, Live: kube, Cluster: failing{kube, o}, Patience: time.Minute, Log: slog.New(slog.DiscardHandler),
		Find: store.Resolver{Objects: kube, Class: "own"}.Find,
		Open: func(context.Context, store.Store, string) (pushsecret.Store, error) { return writable{o.m}, nil },
	})
}

func (o *own) reconcile(r *pushsecret.Reconciler, fails bool) {
	o.t.Helper()
	if _, err := r.Reconcile(o.t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o.of)}); (err != nil) != fails {
		o.t.Fatal(err)
	}
}

func (o *own) names(text string) {
	o.t.Helper()
	patch(o.t, o.of, `{"spec":{"data":[{"match":{"secretKey":"db-host","remoteRef":{"remoteKey":"`+text+`"}}}]}}`)
}

type stale struct {
	client.Reader
	of *own
}

func (s stale) Get(ctx context.Context, key client.ObjectKey, into client.Object, o ...client.GetOption) error {
	if one, is := into.(*v1alpha1.PushSecret); is && s.of.stale != nil {
		s.of.stale.DeepCopyInto(one)
		return nil
	}
	return s.Reader.Get(ctx, key, into, o...)
}

type failing struct {
	client.Client
	of *own
}

func (f failing) Status() client.SubResourceWriter { return failingStatus{f.Client.Status(), f.of} }

type failingStatus struct {
	client.SubResourceWriter
	of *own
}

func (f failingStatus) Patch(ctx context.Context, o client.Object, p client.Patch, more ...client.SubResourcePatchOption) error {
	if f.of.unwritten > 0 {
		f.of.unwritten--
		return errors.New("the API server is away")
	}
	return f.SubResourceWriter.Patch(ctx, o, p, more...)
}

// TestChangedWhileItWasDown: a Secret that was rotated while there was no engine, or before it had pushed anything, is pushed.
func TestChangedWhileItWasDown(t *testing.T) {
	o := newOwn(t, `{refreshInterval: 0s, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`)
	o.reconcile(o.started(), false)
	o.m.hold(t, map[string]string{"h": "planted-host"})
	patch(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: o.of.Namespace, Name: "source"}}, `{"stringData":{"db-host":"rotated"}}`)
	second := o.started()
	o.reconcile(second, false)
	o.m.hold(t, map[string]string{"h": "rotated"})
	o.m.put("h", "by hand")
	o.reconcile(second, false)
	o.m.hold(t, map[string]string{"h": "by hand"}) // it is looked at once
}

// TestStaleCache: what the last turn has noted is known although the cache has the PushSecret as it was before.
func TestStaleCache(t *testing.T) {
	o := newOwn(t, `{deletionPolicy: Delete, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: x}}}]}`)
	r := o.started()
	before := o.of.DeepCopy()
	o.reconcile(r, false)
	o.names("y")
	o.stale = before
	o.reconcile(r, false)
	o.m.hold(t, map[string]string{"y": "planted-host"})
}

// TestStatusThatIsNotWritten: what was written is known to the next turn, and deleted with the PushSecret.
func TestStatusThatIsNotWritten(t *testing.T) {
	o := newOwn(t, `{updatePolicy: IfNotExists, deletionPolicy: Delete, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: x}}}]}`)
	r := o.started()
	o.unwritten = 1
	o.reconcile(r, true)
	o.m.hold(t, map[string]string{"x": "planted-host"})
	o.reconcile(r, false)
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(o.of), o.of); err != nil || len(o.of.Status.SyncedPushSecrets["SecretStore/s"]) != 1 {
		t.Errorf("it says %+v (%v)", o.of.Status, err)
	}
	o.names("y")
	o.unwritten = 1
	o.reconcile(r, true)
	o.m.hold(t, map[string]string{"y": "planted-host"})
	if err := kube.Delete(t.Context(), o.of); err != nil {
		t.Fatal(err)
	}
	o.reconcile(r, false)
	gone(t, o.of)
	o.m.hold(t, map[string]string{})
}
