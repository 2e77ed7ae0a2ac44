package app

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
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
	"github.com/causeway-gitops/causeway/internal/controller/wake"
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
	e.countHeld()
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
		Guard: &massdeletion.Guard{Ledger: e.guard.ledger, Settings: e.guardSettings, Covers: e.cfg.covers},
		Deleted: func(d deletion.Notice) {
			e.chronicle.Deleted(d.App, d.Cluster, d.Objects, d.Why, d.Sync)
		},
		Acting:       e.settings.Acting,
		Compared:     e.compared,
		Looks:        e.looks,
		Dependencies: e.router.waits,
		OnGone: func(name types.NamespacedName) {
			e.router.remotes.drop(name)
			e.looks.Forget(name)
			e.router.pace.Forget(name)
			e.chronicle.Gone(name)
			e.router.freed(context.Background())
		},
		Recorder: e.chronicle, Past: e.chronicle, Room: e.manifests, Seal: e.chronicle.Seal,
		Log: e.cfg.Log, Now: e.cfg.Now,
	})
	return ctrl.NewControllerManagedBy(e.manager).Named("application").
		For(&v1alpha1.Application{}, builder.WithPredicates(asked(), e.ours())).
		Watches(&v1alpha1.Application{}, e.hubChanges(v1alpha1.ApplicationKind)).
		Watches(&v1alpha1.ApplicationSet{}, e.hubChanges(v1alpha1.ApplicationSetKind)).
		WatchesRawSource(&e.router.apps).
		WithOptions(working(bulkhead.Hands(e.cfg.Workers))).
		Complete(e.shared.Guard(r, e.ownerOf))
}

func (e *Engine) sets(sink events, m *report.Metrics) error {
	c := e.manager.GetClient()
	r := applicationset.New(chronicle.Deleter{Client: c, Chronicle: e.chronicle, By: "ApplicationSet"}, lookup.Makeshift{Generator: e.generate},
		report.New("ApplicationSet", setStatus{c}, sink, report.ApplicationSets{}, m, e.cfg.Log).DeniedFor(e.cfg.Pauses.Refused), e.router.readers, e.rollouts, e.looks, e.lookAnew, e.cfg.Log).
		WithGuard(e.setGuard()).WithSeal(e.chronicle.Seal)
	return ctrl.NewControllerManagedBy(e.manager).Named("applicationset").
		For(&v1alpha1.ApplicationSet{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, applicationset.RefreshAsked(), applicationset.Steered(), applicationset.Approved(), outlined()))).
		Watches(&v1alpha1.Application{}, handler.Funcs{CreateFunc: e.appOfSetThere, UpdateFunc: e.appOfSetChanged, DeleteFunc: e.appOfSetGone}).
		WatchesRawSource(&e.router.sets.bell).
		WithOptions(working(bulkhead.Hands(setWorkers))).
		Complete(e.sharedSets.Guard(r, e.ownerOfSet))
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
		e.router.cluster(context.Background(), change)
		e.router.meant(context.Background(), change.Meant)
		e.described.tell(change.Secret)
	}
	r := clustersecret.New(e.manager.GetClient(), e.fleet, e.parser().Parse, sink, changed, e.cfg.Log)
	return ctrl.NewControllerManagedBy(e.manager).Named("cluster").
		For(&corev1.Secret{}, builder.WithPredicates(isOrWas(clustersecret.IsCluster))).
		WatchesRawSource(&e.router.secrets).
		WithOptions(working(1)).
		Complete(r)
}

// isOrWas lets through what happens to objects of a sort, also that one becomes of
// another: a Secret that describes a repository now describes no cluster any more.
func isOrWas(is func(client.Object) bool) predicate.Predicate {
	of := predicate.NewPredicateFuncs(is)
	of.UpdateFunc = func(u event.UpdateEvent) bool { return is(u.ObjectOld) || is(u.ObjectNew) }
	return of
}

func (e *Engine) repositorySecrets(sink events, _ *report.Metrics) error {
	changed := func() {
		e.sources.CredentialsChanged()
		e.router.unknown(context.Background()) // a repository may belong to their project now
	}
	r := repository.New(e.manager.GetClient(), e.creds, sink, changed, e.cfg.Log)
	return ctrl.NewControllerManagedBy(e.manager).Named("repository").
		For(&corev1.Secret{}, builder.WithPredicates(isOrWas(repository.IsRepository))).
		WithOptions(working(1)).
		Complete(r)
}

func (e *Engine) appProjects(sink events, _ *report.Metrics) error {
	changed := func(name string) {
		if hub.IsGlobal(e.settings.Data(), name) {
			e.router.all(context.Background())
			return
		}
		e.router.project(context.Background(), name)
	}
	news := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{})
	return ctrl.NewControllerManagedBy(e.manager).Named("project").
		For(&v1alpha1.AppProject{}, builder.WithPredicates(news)).
		WithOptions(working(1)).
		Complete(project.New(e.manager.GetClient(), sink, changed, e.cfg.Log))
}

// asked lets through what a person or a set writes of an Application, also the
// end of an operation, and not the status that the engine writes itself.
func asked() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		a, ok1 := u.ObjectOld.(*v1alpha1.Application)
		b, ok2 := u.ObjectNew.(*v1alpha1.Application)
		if !ok1 || !ok2 {
			return true
		}
		return !reflect.DeepEqual(a.Spec, b.Spec) || (b.Operation != nil && !reflect.DeepEqual(a.Operation, b.Operation)) ||
			!reflect.DeepEqual(a.Annotations, b.Annotations) || !a.DeletionTimestamp.Equal(b.DeletionTimestamp) || b.Status.OperationState.Terminating() && !a.Status.OperationState.Terminating() || a.Outlined != b.Outlined
	}}
}

// outlined lets through the updates by which a set takes too much to be kept, or
// no longer does: its status alone is no new generation.
func outlined() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		a, ok1 := u.ObjectOld.(*v1alpha1.ApplicationSet)
		b, ok2 := u.ObjectNew.(*v1alpha1.ApplicationSet)
		return ok1 && ok2 && a.Outlined != b.Outlined
	}}
}

type queue = wake.Queue

// appOfSetChanged wakes the set of an Application: at once when what the set
// writes was changed by hand, after a while when only its state moved.
func (e *Engine) appOfSetChanged(_ context.Context, u event.UpdateEvent, _ queue) {
	a, ok1 := u.ObjectOld.(*v1alpha1.Application)
	b, ok2 := u.ObjectNew.(*v1alpha1.Application)
	name, owned := e.setOf(u.ObjectOld)
	if !owned {
		name, owned = e.setOf(u.ObjectNew)
	}
	if !ok1 || !ok2 {
		return
	}
	if owner := applicationset.Owner; a.Spec.GetProject() != b.Spec.GetProject() || !slices.Equal(owner(a), owner(b)) {
		e.appIsFree(b)
	}
	if !owned {
		return
	}
	switch {
	case writtenOtherwise(a, b) && (!e.router.readers.IsEcho(b) || e.rollouts.Rolls(name)):
		e.router.sets.Ring(name)
	case e.rollouts.Rolls(name) && applicationset.Moved(a, b):
		e.router.sets.bell.RingAfter(name, rollPause)
	case a.Status.Sync.Status != b.Status.Sync.Status && b.Status.Sync.Status == v1alpha1.SyncStatusCodeUnknown:
		e.router.sets.RingAfter(name, setPause) // its cluster or project may be gone, which the set has to tell
	case a.Status.Sync.Status != b.Status.Sync.Status || a.Status.Health.Status != b.Status.Health.Status:
		e.router.sets.bell.RingAfter(name, setPause)
	}
}

// writtenOtherwise reports whether two states differ in what a set writes, or in
// whether it does: of an outline it leaves all as it is. That somebody asks for
// another look is nothing that a set writes, and who may read may ask.
func writtenOtherwise(a, b *v1alpha1.Application) bool {
	return a.Outlined != b.Outlined || !reflect.DeepEqual(a.Spec, b.Spec) || !maps.Equal(a.Labels, b.Labels) || !maps.Equal(lasting(a.Annotations), lasting(b.Annotations)) ||
		!slices.Equal(a.Finalizers, b.Finalizers) || !reflect.DeepEqual(a.OwnerReferences, b.OwnerReferences)
}

// lasting are annotations without the one that asks for another look.
func lasting(all map[string]string) map[string]string {
	out := maps.Clone(all)
	delete(out, v1alpha1.AnnotationRefresh)
	return out
}

// setOf names the set that owns an Application.
func (e *Engine) setOf(app client.Object) (types.NamespacedName, bool) {
	owner := applicationset.Owner(app)
	if owner == nil || app.GetNamespace() != e.cfg.Namespace {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: app.GetNamespace(), Name: owner[0]}, true
}

// appOfSetThere wakes the set of an Application that appears: an expansion that
// ran before did not see it.
func (e *Engine) appOfSetThere(_ context.Context, c event.CreateEvent, _ queue) {
	if name, owned := e.setOf(c.Object); owned {
		e.router.sets.RingAfter(name, setPause)
	}
}

func (e *Engine) appOfSetGone(_ context.Context, d event.DeleteEvent, _ queue) {
	if name, owned := e.setOf(d.Object); owned {
		e.router.sets.Ring(name)
	}
	e.router.readers.Gone(d.Object)
	e.appIsFree(d.Object)
}

// appIsFree wakes the sets that left an Application to somebody else and may
// have it now.
func (e *Engine) appIsFree(app client.Object) {
	if app.GetNamespace() != e.cfg.Namespace {
		return
	}
	for _, name := range e.router.readers.Wanting(app.GetName()) {
		e.router.sets.Ring(name)
	}
}
