package chronicle

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestMetricsCountAllObjects: those that the record of a sync does not list are counted all the same.
func TestMetricsCountAllObjects(t *testing.T) {
	c := newCounts(Options{Metrics: prometheus.NewRegistry()})
	c.count(&history.Sync{
		Waves:   []history.Wave{{Unchanged: 7, Objects: []history.Object{{Verb: gitops.Create, Status: "Synced"}}}},
		Omitted: history.Counts{Created: 1, Changed: 2, Pruned: 3, Failed: 4, Total: 15},
	})
	for _, of := range []struct {
		verb, status string
		want         float64
	}{{"create", "Synced", 2}, {"update", "Synced", 2}, {"prune", "Pruned", 3}, {"unknown", "SyncFailed", 4}, {"keep", "Synced", 12}} {
		var got dto.Metric
		if err := c.objects.WithLabelValues(of.verb, of.status).Write(&got); err != nil || got.GetCounter().GetValue() != of.want {
			t.Errorf("%s, %s: %v are counted, want %v: %v", of.verb, of.status, got.GetCounter().GetValue(), of.want, err)
		}
	}
}
