package chronicle

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/causeway-gitops/causeway/internal/store"
)

var auditLost = prometheus.CounterOpts{Name: "causeway_audit_lost_total", Help: "Entries about actions of the engine itself that the audit lacks."}

// ofStore shows how a store does.
func ofStore(kept *store.Store) []prometheus.Collector {
	gauge := func(name, help string, value func(store.Stats) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(kept.Stats()) })
	}
	counter := func(name, help string, value func(store.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(kept.Stats())) })
	}
	return []prometheus.Collector{
		gauge("causeway_history_up", "Whether the last write of the history succeeded (1) or not (0).", func(s store.Stats) float64 {
			if s.Up {
				return 1
			}
			return 0
		}),
		gauge("causeway_history_queued", "Records of the history that wait to be written.", func(s store.Stats) float64 { return float64(s.Queued) }),
		gauge("causeway_history_bytes", "Size of the history in bytes, as of the last pruning.", func(s store.Stats) float64 { return float64(s.Bytes) }),
		counter("causeway_history_written_total", "Records of the history that were written.", func(s store.Stats) int64 { return s.Written }),
		counter("causeway_history_lost_total", "Records of the history that were lost: the database was unavailable for too long, or refused them.", func(s store.Stats) int64 { return s.Lost }),
		counter("causeway_audit_errors_total", "Failed writes to the audit; the actions that they were to record were not carried out.", func(s store.Stats) int64 { return s.AuditErrors }),
		counter(auditLost.Name, auditLost.Help, func(s store.Stats) int64 { return s.AuditLost }),
		counter("causeway_history_errors_total", "Writes of the history that failed.", func(s store.Stats) int64 { return s.Errors }),
	}
}
