package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

// keeper hands on what syncs did: to the store, to metrics and, as spans, to
// a collector.
type keeper struct {
	store *store.Store // nil: none is kept
	note  func(*audit.Entry)

	syncs   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	waves   *prometheus.HistogramVec
	objects *prometheus.CounterVec
	healed  prometheus.Counter
	ofApps  *appCounter // nil: applications are not counted one by one
}

func (e *Engine) newKeeper() *keeper {
	buckets := []float64{.1, .5, 1, 2, 5, 10, 30, 60, 120, 300, 900}
	k := &keeper{
		store: e.history, note: e.note,
		syncs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_syncs_total", Help: "Syncs that ended, by what caused them and the phase of their operation.",
		}, []string{"cause", "phase"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "causeway_sync_seconds", Help: "Duration of a sync in seconds, waiting for health included.", Buckets: buckets,
		}, []string{"cause"}),
		waves: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "causeway_wave_seconds", Help: "Duration of a wave in seconds, from its first request until it was healthy or given up.", Buckets: buckets,
		}, []string{"phase"}),
		objects: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_sync_objects_total", Help: "Objects of syncs that ended, by what was done and how that went. Of refused ones that are too many to list the verb is unknown.",
		}, []string{"verb", "status"}),
		healed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "causeway_drift_healed_total", Help: "Objects that had drifted and were brought back.",
		}),
	}
	e.metrics.MustRegister(k.syncs, k.seconds, k.waves, k.objects, k.healed)
	if e.cfg.AppMetrics {
		k.ofApps = newAppCounter()
		e.metrics.MustRegister(k.ofApps.syncs)
	}
	return k
}

// Sync takes how far a sync has come.
func (k *keeper) Sync(s history.Sync) {
	if !s.Finished.IsZero() {
		k.count(&s)
		for _, entry := range []*audit.Entry{askedAtTheHub(&s), pruned(&s)} {
			if entry != nil {
				k.note(entry)
			}
		}
		telemetry.Sync(context.Background(), &s)
	}
	if k.store != nil {
		k.store.Sync(s)
	}
}

func (k *keeper) count(s *history.Sync) {
	k.syncs.WithLabelValues(string(s.Cause), s.Phase).Inc()
	k.seconds.WithLabelValues(string(s.Cause)).Observe(max(s.Finished.Sub(s.Started), 0).Seconds())
	for i := range s.Waves {
		w := &s.Waves[i]
		if !w.Ended.IsZero() {
			k.waves.WithLabelValues(string(w.Phase)).Observe(max(w.Ended.Sub(w.Started), time.Duration(0)).Seconds())
		}
		for j := range w.Objects {
			k.objects.WithLabelValues(string(w.Objects[j].Verb), w.Objects[j].Status).Inc()
		}
		k.add(gitops.Keep, v1alpha1.ResultCodeSynced, w.Unchanged)
	}
	k.countOmitted(s.Omitted)
	if s.Cause == history.Heal {
		k.healed.Add(float64(s.Changed.Created + s.Changed.Changed))
	}
	if k.ofApps != nil {
		k.ofApps.count(s)
	}
}

// countOmitted counts the objects that the record of a sync had no room for.
func (k *keeper) countOmitted(c history.Counts) {
	k.add(gitops.Create, v1alpha1.ResultCodeSynced, c.Created)
	k.add(gitops.Update, v1alpha1.ResultCodeSynced, c.Changed)
	k.add(gitops.Prune, v1alpha1.ResultCodePruned, c.Pruned)
	k.add("unknown", v1alpha1.ResultCodeSyncFailed, c.Failed)
	k.add(gitops.Keep, v1alpha1.ResultCodeSynced, c.Total-c.Created-c.Changed-c.Pruned-c.Failed)
}

func (k *keeper) add(verb gitops.Verb, status v1alpha1.ResultCode, objects int) {
	if objects > 0 {
		k.objects.WithLabelValues(string(verb), string(status)).Add(float64(objects))
	}
}

// gone forgets an application in the metrics.
func (k *keeper) gone(name types.NamespacedName) {
	if k.ofApps != nil {
		k.ofApps.forget(name)
	}
}

// Rendering takes the manifests of a sync.
func (k *keeper) Rendering(r *gitops.Rendering) {
	if k.store != nil {
		k.store.Rendering(r)
	}
}

// Health takes changes of health.
func (k *keeper) Health(app history.App, sync string, changes []history.Change) {
	if k.store != nil {
		k.store.Health(app, sync, changes)
	}
}

// Step takes how far commits have come.
func (k *keeper) Step(s history.Step) {
	if k.store != nil {
		k.store.Step(s)
	}
}

// Began reports whether an application has begun what was asked for.
func (k *keeper) Began(ctx context.Context, app history.App, request string, since time.Time) (bool, error) {
	if k.store == nil {
		return false, nil
	}
	return k.store.Began(ctx, app, request, since)
}

// Passed reports whether a sync of an application is over, or another one began later.
func (k *keeper) Passed(ctx context.Context, app history.App, sync string, began time.Time) (bool, error) {
	if k.store == nil {
		return false, nil
	}
	return k.store.Passed(ctx, app, sync, began)
}

// Kept finds a sync with its manifests.
func (k *keeper) Kept(ctx context.Context, sync string) (*history.Kept, error) {
	if k.store == nil {
		return nil, gitops.Problemf(gitops.NotFound, "sync %s is not known: no history is kept", sync).Do("run the engine with --store")
	}
	return k.store.Kept(ctx, sync)
}
