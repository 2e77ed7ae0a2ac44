package generate

import (
	"context"
	"testing"
)

// TestGrowsLinearly counts allocations, which are the same on a busy machine:
// twice as many clusters must not take more than about twice as much.
func TestGrowsLinearly(t *testing.T) {
	for name, text := range map[string]string{"fast": addonFast, "go": addonGo} {
		set := parseSet(t, text)
		cost := func(clusters int) float64 {
			g := New(fleetOf(clusters), fakeRepos{}, anyProject{})
			return testing.AllocsPerRun(1, func() {
				exp, err := g.Applications(context.Background(), set)
				if err != nil || len(exp.Applications) != clusters {
					t.Fatalf("%d Applications, error %v", len(exp.Applications), err)
				}
			})
		}
		one, two := cost(500), cost(1000)
		if two > 2.2*one {
			t.Errorf("%s mode: %.0f allocations for 500 clusters, %.0f for 1000", name, one, two)
		}
	}
}
