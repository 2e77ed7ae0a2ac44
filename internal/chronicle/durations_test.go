package chronicle

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// observed is how many durations a histogram has, and their sum in seconds.
func observed(t *testing.T, h *prometheus.HistogramVec, label string) (n uint64, sum float64) {
	t.Helper()
	var got dto.Metric
	if err := h.WithLabelValues(label).(prometheus.Metric).Write(&got); err != nil {
		t.Fatal(err)
	}
	return got.GetHistogram().GetSampleCount(), got.GetHistogram().GetSampleSum()
}

// A clock that goes back makes no duration negative, and what is not over has none.
func TestDurationsOfSyncsAndWaves(t *testing.T) {
	c := newCounts(Options{Metrics: prometheus.NewRegistry()})
	c.count(&history.Sync{
		Cause: history.Requested, Started: started, Finished: started.Add(3 * time.Second),
		Waves: []history.Wave{
			{Phase: gitops.PreSync, Started: started, Ended: started.Add(time.Second)},
			{Phase: gitops.PreSync, Started: started, Ended: started.Add(-time.Second)},
			{Phase: gitops.Sync, Started: started},
		},
	})
	c.count(&history.Sync{Cause: history.Requested, Started: started, Finished: started.Add(-time.Hour)})
	if n, sum := observed(t, c.seconds, string(history.Requested)); n != 2 || sum != 3 {
		t.Errorf("%d syncs took %v seconds", n, sum)
	}
	if n, sum := observed(t, c.waves, string(gitops.PreSync)); n != 2 || sum != 1 {
		t.Errorf("%d waves took %v seconds", n, sum)
	}
	if n, _ := observed(t, c.waves, string(gitops.Sync)); n != 0 {
		t.Errorf("%d waves that are not over took a time", n)
	}
}

// Only what a healing brought back counts as healed: a sync that creates the same
// objects has not healed them.
func TestHealedObjectsAreThoseOfHealing(t *testing.T) {
	c := newCounts(Options{Metrics: prometheus.NewRegistry()})
	changed := history.Counts{Created: 1, Changed: 2, Pruned: 4}
	for _, cause := range []history.Cause{history.Automated, history.Heal, history.Rollback} {
		c.count(&history.Sync{Cause: cause, Changed: changed})
	}
	var got dto.Metric
	if err := c.healed.Write(&got); err != nil || got.GetCounter().GetValue() != 3 {
		t.Errorf("%v objects are healed, %v", got.GetCounter().GetValue(), err)
	}
}
