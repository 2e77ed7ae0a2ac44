// Package declaredcluster makes the clusters that Cluster objects declare, by their
// drivers, and writes for each a cluster Secret of the same name, from which
// the rest of the engine knows it.
//
// It knows neither how clusters are made nor how Applications are deployed.
// A Cluster that is deleted lets the Applications on it go first.
package declaredcluster

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Driver makes clusters of one sort. Both methods return soon: while a
// cluster comes or goes they return a *gitops.Problem of the kind NotReady,
// and the driver wakes the Cluster when it got further.
type Driver interface {
	// Make brings a cluster about unless it is there, and tells how to reach it.
	Make(ctx context.Context, c *causeway.Cluster) (kubeconfig.Connection, error)
	// Remove takes away what Make made; it is no error that nothing is there.
	Remove(ctx context.Context, c *causeway.Cluster) error
}

// Options of a Reconciler.
type Options struct {
	// Client reads out of a cache; Secrets reads at the API server.
	Client  client.Client
	Secrets client.Reader
	// Drivers by the fields of the spec that choose them.
	Drivers map[string]Driver
	// Version tells which Kubernetes the cluster runs that a Secret describes; a
	// problem of the kind NotReady until it is connected to.
	Version func(ctx context.Context, secret *corev1.Secret) (string, error)
	// Ledger and Limits are the guard of deletions.
	Ledger *guard.Ledger
	Limits func() guard.Settings
	// Covers reports whether an engine looks at the Applications of a namespace; by
	// default at all.
	Covers func(namespace string) bool
	// Permits reports whether the project of an Application permits where that goes
	// to; by default each does. Others are not on the cluster, whatever they say.
	Permits func(ctx context.Context, app *v1alpha1.Application) (bool, error)
	// Retry is how soon a Cluster is looked at again that failed; 15 seconds when 0.
	Retry  time.Duration
	Events report.Events
	Log    *slog.Logger
	Now    func() time.Time
}

// Reconciler reconciles Clusters.
type Reconciler struct{ Options }

// New returns a Reconciler.
func New(o Options) *Reconciler {
	o.Retry = cmp.Or(o.Retry, retryPause)
	return &Reconciler{o}
}

// Pauses after which a Cluster is looked at although nothing was told of.
const (
	lookPause  = time.Minute      // a cluster may stop to answer, a kubeconfig change
	retryPause = 15 * time.Second // what failed may work now
	drainPause = 5 * time.Second  // Applications take their time to go
)

// Reconcile brings one Cluster to what its spec says.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (res reconcile.Result, err error) {
	c := &causeway.Cluster{}
	if err := r.Client.Get(ctx, req.NamespacedName, c); err != nil {
		r.forget(req.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	out := r.begin(c)
	defer func() { res, err = out.end(ctx, err) }()
	if !c.DeletionTimestamp.IsZero() && !out.protected() {
		return reconcile.Result{}, out.stuck(r.dismantle(ctx, out))
	}
	driver, err := r.driver(c)
	if err != nil {
		return reconcile.Result{}, out.invalid(err)
	}
	if err := r.claim(ctx, c); err != nil {
		return reconcile.Result{}, err
	}
	connection, err := driver.Make(ctx, c)
	if err != nil {
		return reconcile.Result{}, out.failed(err)
	}
	secret, err := r.write(ctx, c, connection)
	if err != nil {
		return reconcile.Result{}, out.failed(err)
	}
	version, err := r.Version(ctx, secret)
	if err != nil {
		return reconcile.Result{}, out.failed(err)
	}
	out.ready(connection.Server, version)
	return reconcile.Result{}, nil
}

// driver finds the driver that the spec names. It stays the same for the life
// of the object: what one has made another cannot take away.
func (r *Reconciler) driver(c *causeway.Cluster) (Driver, error) {
	name := Name(c.Spec)
	if was := c.Status.Driver; was != "" && was != name {
		return nil, gitops.Problemf(gitops.Invalid, "the driver of a Cluster cannot be changed: it was made by %s, and the spec names %s", was, name).
			Do("delete it and declare another one, or set " + was + " again")
	}
	d := r.Drivers[name]
	if d == nil {
		return nil, gitops.Problemf(gitops.Invalid, "there is no driver %q", name).Do("set one of embedded, kind and adopt")
	}
	c.Status.Driver = name
	return d, nil
}

// Name is the driver that a spec names.
func Name(s causeway.ClusterSpec) string {
	switch {
	case s.Embedded != nil:
		return "embedded"
	case s.Kind != nil:
		return "kind"
	case s.Adopt != nil:
		return "adopt"
	}
	return ""
}

// claim keeps the object until its cluster is gone.
func (r *Reconciler) claim(ctx context.Context, c *causeway.Cluster) error {
	before := c.DeepCopy()
	if !controllerutil.AddFinalizer(c, causeway.FinalizerCluster) {
		return nil
	}
	return r.patch(ctx, c, before)
}

// release lets the object go.
func (r *Reconciler) release(ctx context.Context, c *causeway.Cluster) error {
	before := c.DeepCopy()
	if !controllerutil.RemoveFinalizer(c, causeway.FinalizerCluster) {
		return nil
	}
	return client.IgnoreNotFound(r.patch(ctx, c, before))
}

// patch writes metadata, and keeps what is known of the status by now.
func (r *Reconciler) patch(ctx context.Context, c, before *causeway.Cluster) error {
	status := c.Status
	err := r.Client.Patch(ctx, c, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	c.Status = status
	return err
}
