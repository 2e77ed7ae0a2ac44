package secretstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Opener opens stores.
type Opener interface {
	Open(ctx context.Context, store store.Store, asking string) (*store.Opened, error)
}

// Options of a Reconciler.
type Options struct {
	// Objects reads stores of a cache.
	Objects client.Reader
	// Cluster writes their status.
	Cluster client.Client
	Stores  Opener
	// Resolver describes stores.
	Resolver store.Resolver
	// Cluster scoped stores, or those of namespaces.
	Clusterwide bool
	Now         func() time.Time
}

// Reconciler reconciles stores of one of the two kinds.
type Reconciler struct{ Options }

// New returns a Reconciler.
func New(o Options) *Reconciler {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Reconciler{o}
}

// defaultPause is how long a store is believed in.
const defaultPause = 5 * time.Minute

// Reconcile opens one store, and says what came of it.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	one, spec, status := r.blank()
	err := r.Objects.Get(ctx, request.NamespacedName, one)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("cannot read %s: %w", request.NamespacedName, err)
	}
	before, _ := one.DeepCopyObject().(client.Object)
	old := status.DeepCopy()
	writes, failure := r.open(ctx, one, *spec)
	if errors.Is(failure, store.ErrOthers) {
		return reconcile.Result{}, nil
	}
	r.say(status, writes, failure)
	if !equality.Semantic.DeepEqual(old, status) {
		if err := r.Cluster.Status().Patch(ctx, one, report.StatusFrom(before)); client.IgnoreNotFound(err) != nil {
			return reconcile.Result{}, fmt.Errorf("cannot write the status of %s: %w", request.NamespacedName, err)
		}
	}
	if failure != nil && !errors.Is(failure, store.ErrAsking) {
		return reconcile.Result{}, failure
	}
	pause := defaultPause
	if spec.RefreshInterval > 0 {
		pause = time.Duration(spec.RefreshInterval) * time.Second
	}
	return reconcile.Result{RequeueAfter: pause}, nil
}

// blank is a store to be read, with the parts that both kinds have.
func (r *Reconciler) blank() (client.Object, *esv1.SecretStoreSpec, *esv1.SecretStoreStatus) {
	if r.Clusterwide {
		one := &esv1.ClusterSecretStore{}
		return one, &one.Spec, &one.Status
	}
	one := &esv1.SecretStore{}
	return one, &one.Spec, &one.Status
}

func (r *Reconciler) open(ctx context.Context, one client.Object, spec esv1.SecretStoreSpec) (writes bool, err error) {
	found, err := r.Resolver.Of(one, spec)
	if err != nil {
		return false, err
	}
	opened, err := r.Stores.Open(ctx, found, "")
	return opened != nil && opened.Writes(), err
}

// Conditions and reasons, as External Secrets has them.
const (
	conditionReady = "Ready"

	reasonValid   = "Valid"
	reasonInvalid = "InvalidProviderConfig"

	readOnly  = "ReadOnly"
	readWrite = "ReadWrite"

	longestMessage = 1_000
)

// say puts what came of it into a status.
func (r *Reconciler) say(status *esv1.SecretStoreStatus, writes bool, failure error) {
	ready := esv1.Condition{Type: conditionReady, Status: string(metav1.ConditionTrue), Reason: reasonValid, Message: "the store is set up: it is asked when a Secret needs it"}
	switch {
	case errors.Is(failure, store.ErrAsking):
		ready.Message = store.ErrAsking.Error()
	case failure != nil:
		ready.Status, ready.Reason, ready.Message = string(metav1.ConditionFalse), reasonInvalid, failure.Error()
	}
	ready.Message = gitops.First(ready.Message, longestMessage)
	switch {
	case writes:
		status.Capabilities = readWrite
	case failure == nil || status.Capabilities == "": // of one that cannot be opened nothing new is known
		status.Capabilities = readOnly
	}
	status.Conditions = esv1.WithCondition(status.Conditions, ready, metav1.NewTime(r.Now().Truncate(time.Second)))
}
