package secretfleet

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics tell how ExternalSecrets fare, and how stores answer. Nil ones measure nothing.
type Metrics struct {
	standing  *prometheus.GaugeVec
	refreshes *prometheus.CounterVec
	asked     *prometheus.HistogramVec
}

const (
	outcomeOK    = "ok"
	outcomeError = "error"
)

// NewMetrics registers them.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		standing: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_external_secrets",
			Help: "ExternalSecrets of a cluster, by whether their last refresh succeeded (true) or not (false).",
		}, []string{"cluster", "ready"}),
		refreshes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_secret_refreshes_total",
			Help: "Refreshes of ExternalSecrets that ended, by whether they succeeded (ok) or not (error).",
		}, []string{"cluster", "outcome"}),
		asked: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "causeway_secret_store_seconds",
			Help:    "Duration of a call to a secret store in seconds, by provider and outcome. An entry that does not exist is an error, too.",
			Buckets: []float64{.01, .05, .2, 1, 5, 30},
		}, []string{"provider", "outcome"}),
	}
	reg.MustRegister(m.standing, m.refreshes, m.asked)
	return m
}

func outcomeOf(err error) string {
	if err != nil {
		return outcomeError
	}
	return outcomeOK
}

// called notes a call to a store.
func (m *Metrics) called(provider string, took time.Duration, err error) {
	if m != nil {
		m.asked.WithLabelValues(provider, outcomeOf(err)).Observe(took.Seconds())
	}
}

// forget drops the figures of a cluster that is not reconciled any more.
func (m *Metrics) forget(cluster string) {
	if m == nil {
		return
	}
	of := prometheus.Labels{"cluster": cluster}
	m.standing.DeletePartialMatch(of)
	m.refreshes.DeletePartialMatch(of)
}

// meter are the metrics of one cluster.
type meter struct {
	*Metrics

	cluster string
}

// Refreshed notes how a refresh ended.
func (m meter) Refreshed(err error) {
	if m.Metrics != nil {
		m.refreshes.WithLabelValues(m.cluster, outcomeOf(err)).Inc()
	}
}

// Standing notes how many ExternalSecrets there are.
func (m meter) Standing(ready, failed int) {
	if m.Metrics == nil {
		return
	}
	m.standing.WithLabelValues(m.cluster, "true").Set(float64(ready))
	m.standing.WithLabelValues(m.cluster, "false").Set(float64(failed))
}
