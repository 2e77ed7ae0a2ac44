package externalsecret

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/fetch"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Member is a cluster whose ExternalSecrets are reconciled.
type Member struct {
	// Config connects to it.
	Config *rest.Config
	// Providers of its stores.
	Providers map[string]store.Factory
	// Class is the controller that this one is, for stores that name theirs.
	Class   string
	Compute Computer
	Now     func() time.Time
	Log     *slog.Logger
}

// workers reconcile the ExternalSecrets of one cluster.
const workers = 8

// Run reconciles until the context ends.
func (m Member) Run(ctx context.Context) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	log := logr.FromSlogHandler(m.Log.Handler())
	c, err := cluster.New(m.Config, func(o *cluster.Options) {
		o.Scheme, o.Logger = scheme, log
		o.Client.Cache = &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}}}
		o.Cache = cache.Options{
			DefaultTransform: cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&corev1.Secret{}: {Label: labels.SelectorFromSet(labels.Set{labelManaged: "true"}), Transform: Transform},
			},
		}
	})
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	run, err := m.controller(c, log)
	if err != nil {
		return err
	}
	ended := make(chan error, 2) //nolint:mnd // one each
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { ended <- c.Start(ctx) }()
	go func() { ended <- run.Start(ctx) }()
	err = <-ended
	cancel()
	if other := <-ended; err == nil {
		err = other
	}
	return err
}

func (m Member) controller(c cluster.Cluster, log logr.Logger) (controller.Controller, error) {
	resolver := store.Resolver{Objects: c.GetClient(), Class: m.Class}
	shelf := store.NewShelf(store.Cluster{
		Objects: c.GetAPIReader(), Tokens: tokens(c.GetClient()), Server: rest.AnonymousClientConfig(m.Config),
	}, m.Providers)
	r := New(Options{
		Objects: c.GetCache(), Cluster: c.GetClient(), Compute: m.Compute, Now: m.Now, Log: m.Log,
		Stores: func(ctx context.Context, namespace string, ref esv1.SecretStoreRef) (fetch.Store, error) {
			found, err := resolver.Find(ctx, namespace, ref)
			if err != nil {
				return nil, err
			}
			return shelf.Open(ctx, found, namespace)
		},
	})
	leave := true
	run, err := controller.NewTypedUnmanaged("externalsecret", controller.TypedOptions[reconcile.Request]{
		Reconciler: r, MaxConcurrentReconciles: workers, SkipNameValidation: &leave, RateLimiter: retries(),
		LogConstructor: func(*reconcile.Request) logr.Logger { return log },
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make the controller of ExternalSecrets: %w", err)
	}
	owner := handler.EnqueueRequestForOwner(c.GetScheme(), c.GetRESTMapper(), &esv1.ExternalSecret{}, handler.OnlyControllerOwner())
	for _, watch := range []source.Source{
		source.Kind[client.Object](c.GetCache(), &esv1.ExternalSecret{}, &handler.EnqueueRequestForObject{}),
		source.Kind[client.Object](c.GetCache(), &corev1.Secret{}, owner),
		source.Kind[client.Object](c.GetCache(), &esv1.SecretStore{}, handler.EnqueueRequestsFromMapFunc(r.waiting)),
		source.Kind[client.Object](c.GetCache(), &esv1.ClusterSecretStore{}, handler.EnqueueRequestsFromMapFunc(r.waiting)),
	} {
		if err := run.Watch(watch); err != nil {
			return nil, fmt.Errorf("cannot watch: %w", err)
		}
	}
	return run, nil
}

// retries space out refreshes that fail: a second first, five minutes at last.
func retries() workqueue.TypedRateLimiter[reconcile.Request] {
	const first, most = time.Second, 5 * time.Minute
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](first, most)
}

// waiting are the ExternalSecrets of a store that failed, which may do better with
// what changed of it.
func (r *Reconciler) waiting(ctx context.Context, changed client.Object) []reconcile.Request {
	var all esv1.ExternalSecretList
	if err := r.Objects.List(ctx, &all, client.InNamespace(changed.GetNamespace())); err != nil {
		r.Log.WarnContext(ctx, "ExternalSecrets of a store that changed are tried later", "store", changed.GetName(), "error", err)
		return nil
	}
	var out []reconcile.Request
	for i := range all.Items {
		if one := &all.Items[i]; failed(one) && uses(one, changed) {
			out = append(out, reconcile.Request{NamespacedName: nameOf(one)})
		}
	}
	return out
}

func failed(one *esv1.ExternalSecret) bool {
	for _, c := range one.Status.Conditions {
		if c.Type == conditionReady {
			return c.Status != "True"
		}
	}
	return true
}

// uses reports whether an ExternalSecret names a store anywhere.
func uses(one *esv1.ExternalSecret, changed client.Object) bool {
	is := func(ref *esv1.SecretStoreRef) bool {
		if ref == nil || ref.Name != changed.GetName() {
			return false
		}
		return (ref.Kind == esv1.ClusterSecretStoreKind) == (changed.GetNamespace() == "")
	}
	if is(&one.Spec.SecretStoreRef) {
		return true
	}
	for _, d := range one.Spec.Data {
		if d.SourceRef != nil && is(&d.SourceRef.SecretStoreRef) {
			return true
		}
	}
	for _, d := range one.Spec.DataFrom {
		if d.SourceRef != nil && is(d.SourceRef.SecretStoreRef) {
			return true
		}
	}
	return false
}

// tokens makes tokens of service accounts, each for an hour at most.
func tokens(c client.Client) func(context.Context, types.NamespacedName, []string) (string, error) {
	const seconds = 3600
	return func(ctx context.Context, account types.NamespacedName, audiences []string) (string, error) {
		long := int64(seconds)
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: audiences, ExpirationSeconds: &long}}
		of := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: account.Namespace, Name: account.Name}}
		if err := c.SubResource("token").Create(ctx, of, request); err != nil {
			return "", err
		}
		return request.Status.Token, nil
	}
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{authenticationv1.AddToScheme, corev1.AddToScheme, esv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("cannot register the API types: %w", err)
		}
	}
	return scheme, nil
}
