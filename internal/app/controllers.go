package app

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/controller/application"
	"github.com/causeway-gitops/causeway/internal/controller/application/appcache"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/massdeletion"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/backlog"
	"github.com/causeway-gitops/causeway/internal/controller/bulkhead"
	"github.com/causeway-gitops/causeway/internal/controller/clustersecret"
	"github.com/causeway-gitops/causeway/internal/controller/project"
	"github.com/causeway-gitops/causeway/internal/controller/repository"
	"github.com/causeway-gitops/causeway/internal/controller/route"
	"github.com/causeway-gitops/causeway/internal/controller/secretstore"
	fleetsecret "github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/lookup"
	"github.com/causeway-gitops/causeway/internal/report"
)

// controllers registers one controller a kind.
func (e *Engine) controllers() error {
	recorder, silence, err := newRecorder(context.Background(), e.cfg.Hub, e.manager)
	if err != nil {
		return fmt.Errorf("cannot record events: %w", err)
	}
	e.silence = silence
	sink, metrics := events{recorder}, report.NewMetrics(e.metrics)
	e.events = sink
	ctx := context.Background()
	err = e.manager.GetFieldIndexer().IndexField(ctx, &v1alpha1.Application{}, applicationset.OwnerField, applicationset.Owner)
	if err != nil {
		return fmt.Errorf("cannot index applications: %w", err)
	}
	for _, register := range []func(events, *report.Metrics) error{e.applications, e.sets, e.clusterSecrets, e.repositorySecrets, e.appProjects} {
		if err := register(sink, metrics); err != nil {
			return fmt.Errorf("cannot register a controller: %w", err)
		}
	}
	return nil
}

func (e *Engine) applications(sink events, m *report.Metrics) error {
	apps := appcache.New(e.manager.GetClient())
	r := application.New(application.Options{
		Namespace: e.cfg.Namespace, Apps: apps, Projects: e.projects(),
		Fetch:  e.sources, // after the rules of the project, which the controller asks about all sources
		Render: e.render, Fleet: e.clusters, Apply: e.apply, Memo: e.memo,
		Report: report.New("Application", apps, sink, report.Applications{}, m, e.cfg.Log).DeniedFor(e.cfg.Pauses.Refused),
		Checks: e.checks, Settings: e.settings.Settings, Tracking: e.settings.Tracking, Comparing: e.settings.Comparing, Rendered: e.rendered,
		StuckAfter: e.cfg.StuckAfter, ProgressPause: e.cfg.Pauses.Progress, DeletionPause: e.cfg.Pauses.Deletion,
		Guard: &massdeletion.Guard{Ledger: e.guard.ledger, Settings: e.guardSettings, Covers: e.cfg.covers, Dependents: secretstore.Users{}},
		Deleted: func(d deletion.Notice) {
			e.chronicle.Deleted(d.App, d.Cluster, d.Objects, d.Why, d.Sync)
		},
		Acting:       e.settings.Acting,
		Compared:     e.router.Compared,
		Looks:        e.looks,
		Dependencies: e.router.Waits,
		OnGone: func(name types.NamespacedName) {
			e.looks.Forget(name)
			e.chronicle.Gone(name)
			e.router.Gone(context.Background(), name)
		},
		Recorder: e.chronicle, Past: e.chronicle, Room: e.manifests, Seal: e.chronicle.Seal,
		Log: e.cfg.Log, Now: e.cfg.Now,
	})
	return ctrl.NewControllerManagedBy(e.manager).Named("application").
		For(&v1alpha1.Application{}, builder.WithPredicates(route.WrittenByOthers(), e.ours())).
		Watches(&v1alpha1.Application{}, e.router.OnHub(v1alpha1.ApplicationKind)).
		Watches(&v1alpha1.ApplicationSet{}, e.router.OnHub(v1alpha1.ApplicationSetKind)).
		WatchesRawSource(&e.router.Apps).
		WithOptions(working(bulkhead.Hands(e.cfg.Workers))).
		Complete(e.shared.Guard(r, e.router.Owner))
}

func (e *Engine) sets(sink events, m *report.Metrics) error {
	c := e.manager.GetClient()
	r := applicationset.New(applicationset.Options{
		Client:   chronicle.Deleter{Client: c, Chronicle: e.chronicle, By: "ApplicationSet"},
		Generate: lookup.Makeshift{Generator: e.generate},
		Report:   report.New("ApplicationSet", setStatus{c}, sink, report.ApplicationSets{}, m, e.cfg.Log).DeniedFor(e.cfg.Pauses.Refused),
		Readers:  e.router.Readers, Rollouts: e.rollouts, Looks: e.looks, LookAnew: e.lookAnew,
		Guard: e.setGuard(), Seal: e.chronicle.Seal, Log: e.cfg.Log, Now: e.cfg.Now,
	})
	return ctrl.NewControllerManagedBy(e.manager).Named("applicationset").
		For(&v1alpha1.ApplicationSet{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, applicationset.RefreshAsked(), applicationset.Steered(), applicationset.Approved(), route.Outlined()))).
		Watches(&v1alpha1.Application{}, e.router.OfSets()).
		WatchesRawSource(e.router.Sets.Source()).
		WithOptions(working(bulkhead.Hands(setWorkers))).
		Complete(e.sharedSets.Guard(r, e.router.OwnerOfSet))
}

// working is how a controller takes what it has to do.
func working(workers int) controller.Options {
	return controller.Options{MaxConcurrentReconciles: workers, RateLimiter: unwritten(), NewQueue: backlog.New}
}

// unwritten spaces out the tries of a status that the hub does not take. The
// library's own pause grows to 17 minutes, in which nothing wakes an object
// although the hub is back.
func unwritten() workqueue.TypedRateLimiter[reconcile.Request] {
	const first, most = 5 * time.Millisecond, 20 * time.Second
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](first, most)
}

// setWorkers is how many ApplicationSets are expanded at a time, besides those
// that wait for a Git host or a plugin.
const setWorkers = 12

func (e *Engine) clusterSecrets(sink events, _ *report.Metrics) error {
	changed := func(change gitops.ClusterChange) {
		e.router.Cluster(context.Background(), change)
		e.described.tell(change.Secret)
	}
	r := clustersecret.New(e.manager.GetClient(), e.fleet, e.parser().Parse, sink, changed, e.cfg.Log)
	return ctrl.NewControllerManagedBy(e.manager).Named("cluster").
		For(&corev1.Secret{}, builder.WithPredicates(route.IsOrWas(fleetsecret.IsCluster))).
		WatchesRawSource(&e.router.Secrets).
		WithOptions(working(1)).
		Complete(r)
}

func (e *Engine) repositorySecrets(sink events, _ *report.Metrics) error {
	changed := func() {
		e.sources.CredentialsChanged()
		e.router.Unknown(context.Background()) // a repository may belong to their project now
	}
	r := repository.New(e.manager.GetClient(), e.creds, sink, changed, e.cfg.Log)
	return ctrl.NewControllerManagedBy(e.manager).Named("repository").
		For(&corev1.Secret{}, builder.WithPredicates(route.IsOrWas(repository.IsRepository))).
		WithOptions(working(1)).
		Complete(r)
}

func (e *Engine) appProjects(sink events, _ *report.Metrics) error {
	changed := func(name string) {
		if hub.IsGlobal(e.settings.Data(), name) {
			e.router.All(context.Background())
			return
		}
		e.router.OfProject(context.Background(), name)
	}
	news := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{})
	return ctrl.NewControllerManagedBy(e.manager).Named("project").
		For(&v1alpha1.AppProject{}, builder.WithPredicates(news)).
		WithOptions(working(1)).
		Complete(project.New(e.manager.GetClient(), sink, changed, e.cfg.Log))
}
