package chronicle

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// counts are the metrics of what syncs did.
type counts struct {
	syncs   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	waves   *prometheus.HistogramVec
	objects *prometheus.CounterVec
	healed  prometheus.Counter
	ofApps  *appCounter // nil: applications are not counted one by one
}

func newCounts(o Options) counts {
	buckets := []float64{.1, .5, 1, 2, 5, 10, 30, 60, 120, 300, 900}
	c := counts{
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
			Name: "causeway_sync_objects_total", Help: "Objects of syncs that ended, by what was done and its result. The verb is unknown for refused objects that are too many to list.",
		}, []string{"verb", "status"}),
		healed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "causeway_drift_healed_total", Help: "Objects that had drifted and were brought back.",
		}),
	}
	o.Metrics.MustRegister(c.syncs, c.seconds, c.waves, c.objects, c.healed)
	if o.PerApplication {
		c.ofApps = newAppCounter()
		o.Metrics.MustRegister(c.ofApps.syncs)
	}
	return c
}

func (c *counts) count(s *history.Sync) {
	c.syncs.WithLabelValues(string(s.Cause), s.Phase).Inc()
	c.seconds.WithLabelValues(string(s.Cause)).Observe(max(s.Finished.Sub(s.Started), 0).Seconds())
	for i := range s.Waves {
		w := &s.Waves[i]
		if !w.Ended.IsZero() {
			c.waves.WithLabelValues(string(w.Phase)).Observe(max(w.Ended.Sub(w.Started), time.Duration(0)).Seconds())
		}
		for j := range w.Objects {
			c.objects.WithLabelValues(string(w.Objects[j].Verb), w.Objects[j].Status).Inc()
		}
		c.add(gitops.Keep, v1alpha1.ResultCodeSynced, w.Unchanged)
	}
	c.countOmitted(s.Omitted)
	if s.Cause == history.Heal {
		c.healed.Add(float64(s.Changed.Created + s.Changed.Changed))
	}
	if c.ofApps != nil {
		c.ofApps.count(s)
	}
}

// countOmitted counts the objects that the record of a sync had no room for.
func (c *counts) countOmitted(n history.Counts) {
	c.add(gitops.Create, v1alpha1.ResultCodeSynced, n.Created)
	c.add(gitops.Update, v1alpha1.ResultCodeSynced, n.Changed)
	c.add(gitops.Prune, v1alpha1.ResultCodePruned, n.Pruned)
	c.add("unknown", v1alpha1.ResultCodeSyncFailed, n.Failed)
	c.add(gitops.Keep, v1alpha1.ResultCodeSynced, n.Total-n.Created-n.Changed-n.Pruned-n.Failed)
}

func (c *counts) add(verb gitops.Verb, status v1alpha1.ResultCode, objects int) {
	if objects > 0 {
		c.objects.WithLabelValues(string(verb), string(status)).Add(float64(objects))
	}
}
