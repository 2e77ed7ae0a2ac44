package rows

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

// TestEngineCell: the table of clusters tells in a few words how the engine sees each.
func TestEngineCell(t *testing.T) {
	since := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	next := since.Add(90 * time.Second)
	for name, tc := range map[string]struct {
		health *clusters.Health
		want   string
	}{
		"NoEngine":    {nil, "-"},
		"Well":        {&clusters.Health{Reachable: true}, "reachable"},
		"HalfBroken":  {&clusters.Health{Reachable: true, FailedGroups: []string{"metrics.k8s.io/v1beta1", "later.test/v1"}}, "reachable; without metrics.k8s.io/v1beta1, later.test/v1"},
		"Crowded":     {&clusters.Health{Reachable: true, Problem: "its kinds are not taken"}, "reachable; its kinds are not taken"},
		"Invalid":     {&clusters.Health{}, "invalid"},
		"Silent":      {&clusters.Health{Since: &since}, "no answer since 2026-03-01T10:00:00Z"},
		"TriedLater":  {&clusters.Health{Since: &since, Next: &next}, "no answer since 2026-03-01T10:00:00Z; next try at 10:01:30"},
		"BrokenFirst": {&clusters.Health{Since: &since, Next: &next, FailedGroups: []string{"a/v1"}}, "no answer since 2026-03-01T10:00:00Z; next try at 10:01:30"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := engineCell(tc.health); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
