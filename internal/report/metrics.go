package report

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts outcomes.
type Metrics struct {
	outcomes *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	stages   *prometheus.HistogramVec
}

// NewMetrics registers the metrics of all reporters.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_reconcile_total",
			Help: "Reconciles by kind, the stage that stopped them (empty: none) and the class of the error.",
		}, []string{"kind", "stage", "class"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "causeway_reconcile_seconds",
			Help:    "Duration of a reconcile in seconds.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
		}, []string{"kind"}),
	}
	m.stages = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "causeway_reconcile_stage_seconds",
		Help:    "Duration of a stage of a reconcile in seconds, by its outcome: ok, or the class of the error.",
		Buckets: []float64{.001, .005, .02, .1, .5, 2, 10, 60},
	}, []string{"kind", "stage", "outcome"})
	reg.MustRegister(m.outcomes, m.seconds, m.stages)
	return m
}

func (m *Metrics) observe(kind string, f *Failure, took time.Duration) {
	stage, class := "", ""
	if f != nil {
		stage, class = string(f.Stage), string(f.Class)
	}
	m.outcomes.WithLabelValues(kind, stage, class).Inc()
	m.seconds.WithLabelValues(kind).Observe(took.Seconds())
}
