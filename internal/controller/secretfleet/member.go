package secretfleet

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
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
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/clusterexternalsecret"
	"github.com/causeway-gitops/causeway/internal/controller/externalsecret"
	"github.com/causeway-gitops/causeway/internal/controller/secretstore"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/fetch"
	"github.com/causeway-gitops/causeway/internal/secrets/generator"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

// Member is a cluster whose ExternalSecrets are reconciled.
type Member struct {
	// Name of the cluster, among those that share Compute.
	Name string
	// Title of the cluster, for people.
	Title string
	// Config connects to it.
	Config *rest.Config
	// Providers of its stores.
	Providers map[string]store.Factory
	// Makers of values, by the kinds of generators.
	Makers map[string]generator.Maker
	// Lenders of values that end, by the kinds of generators.
	Lenders map[string]generator.Lender
	// Class is the controller that this one is, for stores that name theirs.
	Class string
	// Dial connects to servers of stores; the machine's when nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Engine is that the engine runs in this cluster.
	Engine  bool
	Compute *compute.Pool
	// Patience is how long fetching for one ExternalSecret may take; two minutes when zero.
	Patience time.Duration
	// Quiet is how long other changes are waited for before workloads are restarted for
	// one; ten seconds when zero.
	Quiet time.Duration
	// Grace is for how long replaced credentials are left to pods that still use them; an
	// hour when zero.
	Grace time.Duration
	// Metrics of all clusters; none are kept when nil.
	Metrics *Metrics
	Now     func() time.Time
	Log     *slog.Logger

	// filled is how long restarts of workloads wait for their caches, and pause how long
	// before another try; two minutes and one when zero. Tests have less.
	filled, pause time.Duration
}

const (
	// workers reconcile the ExternalSecrets of one cluster.
	workers = 8

	defaultPatience = 2 * time.Minute
	// afterwards is how long a reconcile may take besides fetching.
	afterwards = time.Minute
)

// patience bounds what a worker waits for: a store that answers slowly, and a kind that
// may not be listed, for which a cache waits without end.
func (m Member) patience() time.Duration { return cmp.Or(m.Patience, defaultPatience) }

// Run reconciles until the context ends.
func (m Member) Run(ctx context.Context) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	log := logr.FromSlogHandler(telemetry.LibraryLog(m.Log.Handler()))
	c, err := cluster.New(m.Config, func(o *cluster.Options) {
		o.Scheme, o.Logger = scheme, log
		o.Client.Cache = &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}}}
		o.Cache = cache.Options{
			DefaultTransform: cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&corev1.Secret{}: {Label: labels.SelectorFromSet(labels.Set{esv1.LabelManaged: "true"}), Transform: externalsecret.Transform},
			},
		}
	})
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	p, err := m.parts(ctx, c)
	if err != nil {
		return err
	}
	controllers, err := m.controllers(c, p, log)
	if err != nil {
		return err
	}
	g, ctx := crew.WithContext(ctx)
	g.Go(func() error { return c.Start(ctx) })
	for _, one := range controllers {
		g.Go(func() error { return one.Start(ctx) })
	}
	for _, one := range extras {
		g.Go(func() error {
			m.beside(ctx, one, c, p, log)
			return nil
		})
	}
	return g.Wait()
}

// parts are what controllers of one cluster have in common.
type parts struct {
	resolver   store.Resolver
	shelf      *store.Shelf
	generators generator.Generators
	// own is a cache of what an extra alone looks at.
	own cache.Cache
}

func (m Member) parts(ctx context.Context, c cluster.Cluster) (parts, error) {
	shelf := store.NewShelf(store.Cluster{
		Objects: c.GetAPIReader(), Tokens: tokens(c.GetClient()), Server: rest.AnonymousClientConfig(m.Config), Render: m.Compute.Texts, Dial: m.Dial, Engine: m.Engine, Asked: m.Metrics.called,
	}, m.Providers)
	err := c.GetFieldIndexer().IndexField(ctx, &esv1.ExternalSecret{}, clusterexternalsecret.IndexOwner, clusterexternalsecret.OwnerOf)
	return parts{
		resolver: store.Resolver{Objects: c.GetClient(), Class: m.Class}, shelf: shelf,
		generators: generator.Generators{Objects: c.GetAPIReader(), Makers: m.Makers, Lenders: m.Lenders, Around: shelf.Around},
	}, err
}

// controllers are those of one cluster without which nothing is reconciled.
func (m Member) controllers(c cluster.Cluster, p parts, log logr.Logger) ([]controller.Controller, error) {
	resolver, shelf := p.resolver, p.shelf
	secrets := externalsecret.New(externalsecret.Options{
		Objects: c.GetCache(), Cluster: c.GetClient(), Compute: m.Compute, Leases: p.generators, Grace: m.Grace, Now: m.Now, Log: m.Log, Meter: meter{m.Metrics, m.Title},
		Sources: fetch.Sources{
			Stores: func(ctx context.Context, namespace string, ref esv1.SecretStoreRef) (fetch.Store, error) {
				found, err := resolver.Find(ctx, namespace, ref)
				if err != nil {
					return nil, err
				}
				return shelf.Open(ctx, found, namespace)
			},
			Generate: p.generators.Generate, Lend: p.generators.Lend,
			Patience: m.patience(),
		},
	})
	waiting := handler.EnqueueRequestsFromMapFunc(secrets.Waiting)
	owner := handler.EnqueueRequestForOwner(c.GetScheme(), c.GetRESTMapper(), &esv1.ExternalSecret{}, handler.OnlyControllerOwner())
	itself := &handler.EnqueueRequestForObject{}
	stores := func(all bool) reconcile.Reconciler {
		return secretstore.New(secretstore.Options{
			Objects: c.GetCache(), Cluster: c.GetClient(), Stores: shelf, Resolver: resolver, Clusterwide: all, Now: m.Now,
		})
	}
	var out []controller.Controller
	for _, one := range []struct {
		name    string
		r       reconcile.Reconciler
		watches []source.Source
	}{
		{"externalsecret", secrets, []source.Source{
			source.Kind[client.Object](c.GetCache(), &esv1.ExternalSecret{}, itself, written),
			source.Kind[client.Object](c.GetCache(), &corev1.Secret{}, owner),
			source.Kind[client.Object](c.GetCache(), &esv1.SecretStore{}, waiting),
			source.Kind[client.Object](c.GetCache(), &esv1.ClusterSecretStore{}, waiting),
		}},
		{"secretstore", stores(false), []source.Source{source.Kind[client.Object](c.GetCache(), &esv1.SecretStore{}, itself, changed)}},
		{"clustersecretstore", stores(true), []source.Source{source.Kind[client.Object](c.GetCache(), &esv1.ClusterSecretStore{}, itself, changed)}},
	} {
		run, err := m.controller(one.name, one.r, one.watches, 0, log)
		if err != nil {
			return nil, err
		}
		out = append(out, run)
	}
	return out, nil
}

// changed lets through what people write, and not the status that is written here.
var changed = predicate.TypedGenerationChangedPredicate[client.Object]{}

// written lets metadata through as well, which are copied. A status that is written for
// a failure must not have the next try begin at once: errors have ports and times in them.
var written = predicate.Or[client.Object](changed, predicate.TypedLabelChangedPredicate[client.Object]{}, predicate.TypedAnnotationChangedPredicate[client.Object]{})

// asked lets a deletion through as well, which is no other generation where a finalizer
// waits for it.
var asked = predicate.Or[client.Object](written, predicate.TypedFuncs[client.Object]{UpdateFunc: deletionChanged})

func deletionChanged(e event.TypedUpdateEvent[client.Object]) bool {
	return (e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil)
}

// controller is one that waits for its caches for a time; two minutes when 0.
func (m Member) controller(name string, r reconcile.Reconciler, watches []source.Source, filled time.Duration, log logr.Logger) (controller.Controller, error) {
	// A queue with priorities may wait for a worker that has ended (controller-runtime
	// 0.24.1): a cluster would never end, and not be reconciled by another connection.
	leave, priorities := true, false
	run, err := controller.NewTypedUnmanaged(name, controller.TypedOptions[reconcile.Request]{
		Reconciler: m.inTurn(r), MaxConcurrentReconciles: workers, SkipNameValidation: &leave, RateLimiter: retries(), UsePriorityQueue: &priorities,
		ReconciliationTimeout: m.patience() + afterwards, CacheSyncTimeout: filled,
		LogConstructor: func(of *reconcile.Request) logr.Logger {
			if of == nil {
				return log
			}
			return log.WithValues("kind", name, "object", of.String())
		},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make the controller %s: %w", name, err)
	}
	for _, watch := range watches {
		if err := run.Watch(watch); err != nil {
			return nil, fmt.Errorf("cannot watch: %w", err)
		}
	}
	return run, nil
}

// inTurn has what a namespace computes take turns with what others do, in all clusters:
// they share a few worker processes, and of one project all but one wait.
func (m Member) inTurn(r reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		return r.Reconcile(slots.ForProject(ctx, m.Name+"/"+request.Namespace), request)
	})
}

// retries space out refreshes that fail: a second first, five minutes at last.
func retries() workqueue.TypedRateLimiter[reconcile.Request] {
	const first, most = time.Second, 5 * time.Minute
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](first, most)
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
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, authenticationv1.AddToScheme, corev1.AddToScheme, esv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("cannot register the API types: %w", err)
		}
	}
	return scheme, nil
}
