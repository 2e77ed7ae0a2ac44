// Package clustersecret keeps the fleet what the cluster Secrets say: which clusters
// there are, how to reach them, and the metadata that feeds ApplicationSets.
//
// It writes nothing. A Secret that cannot be read makes an event on the Secret,
// and whoever needs the cluster is told why.
package clustersecret

import (
	"context"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	fleetsecret "github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Fleet is what the Secrets are told to.
type Fleet interface {
	Set(ctx context.Context, cluster gitops.Cluster, cfg *rest.Config) error
	// SetBroken keeps the cluster known, with the reason why it cannot be used.
	SetBroken(cluster gitops.Cluster, reason error) error
	Remove(secret string)
	// Of describes the cluster of a Secret; false while there is none.
	Of(secret string) (gitops.Cluster, bool)
	// Clashes tells what the Secret of a cluster shares with other Secrets.
	Clashes(cluster gitops.Cluster) []gitops.Clash
}

// Parser reads a cluster Secret, as that of the fleet does.
type Parser func(*corev1.Secret) (gitops.Cluster, *rest.Config, error)

// Reconciler reconciles cluster Secrets.
type Reconciler struct {
	client  client.Client
	fleet   Fleet
	parse   Parser
	events  report.Events
	changed Changed
	log     *slog.Logger
}

// Changed is told of a Secret, after the fleet has taken the change.
type Changed func(gitops.ClusterChange)

// New returns a Reconciler.
func New(c client.Client, f Fleet, p Parser, e report.Events, changed Changed, log *slog.Logger) *Reconciler {
	return &Reconciler{client: c, fleet: f, parse: p, events: e, changed: changed, log: log}
}

// Reconcile hands one Secret to the fleet.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	before, known := r.fleet.Of(req.Name)
	secret := &corev1.Secret{}
	err := r.client.Get(ctx, req.NamespacedName, secret)
	if apierrors.IsNotFound(err) || (err == nil && (!secret.DeletionTimestamp.IsZero() || !fleetsecret.IsCluster(secret))) {
		r.fleet.Remove(req.Name)
		r.changed(gitops.ClusterChange{Secret: req.Name, Whole: true, Meant: meant(before, known)})
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	desc, cfg, err := r.parse(secret)
	if err == nil {
		err = r.fleet.Set(ctx, desc, cfg)
	}
	if err != nil {
		err = r.fleet.SetBroken(desc, err)
		r.log.WarnContext(ctx, "cluster Secret not used", "secret", secret.Name, "error", err)
		r.events.Event(secret, corev1.EventTypeWarning, "InvalidCluster", err.Error())
	}
	clashes := r.fleet.Clashes(desc)
	for _, clash := range clashes {
		r.log.WarnContext(ctx, "cluster described twice", "secret", secret.Name, "problem", clash.String())
		r.events.Event(secret, corev1.EventTypeWarning, "ClusterDescribedTwice", clash.String())
	}
	now, is := r.fleet.Of(req.Name)
	change := gitops.ClusterChange{Secret: req.Name, Whole: !known || !is || isWhole(before, now), Keys: keysOf(before, now)}
	if change.Meant = meant(now, !known && len(clashes) > 0); known && !sameMeaning(before, now) {
		change.Meant = []gitops.Cluster{before, now}
	}
	r.changed(change)
	return reconcile.Result{}, nil
}

func meant(c gitops.Cluster, concerns bool) []gitops.Cluster {
	if !concerns {
		return nil
	}
	return []gitops.Cluster{c}
}

// sameMeaning reports whether a destination that leads to a cluster, or is kept
// from it, does so still: a project has its own clusters without naming them.
// Labels and annotations that only templates read change nothing of that.
func sameMeaning(a, b gitops.Cluster) bool {
	return a.Name == b.Name && gitops.SameServer(a.Server, b.Server) && a.Project == b.Project && (a.Source == "") == (b.Source == "") &&
		v1alpha1.SkipsReconcile(a.Annotations) == v1alpha1.SkipsReconcile(b.Annotations)
}
