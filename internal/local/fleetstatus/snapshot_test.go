package fleetstatus

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func good(name string) App {
	return App{Name: name, Cluster: "dev", Sync: "Synced", Health: "Healthy", Phase: "Succeeded"}
}

func with(a App, change func(*App)) App {
	change(&a)
	return a
}

func TestSettled(t *testing.T) {
	ready := []Cluster{{Name: "hub", State: Ready}}
	done := []Set{{Name: "s", Done: true}}
	tests := map[string]struct {
		reason string
		s      Snapshot
		want   bool
	}{
		"AllGood":      {reason: "nothing is left to do", s: Snapshot{Watching: true, Clusters: ready, Sets: done, Apps: []App{good("a")}}, want: true},
		"NotWatching":  {reason: "nothing is known yet", s: Snapshot{Clusters: ready, Apps: []App{good("a")}}},
		"Nothing":      {reason: "a fleet without applications has nothing to wait for", s: Snapshot{Watching: true, Clusters: ready}, want: true},
		"Starting":     {reason: "a cluster is on its way", s: Snapshot{Watching: true, Clusters: []Cluster{{State: Starting}}, Apps: []App{good("a")}}},
		"SetExpanding": {reason: "more applications will come", s: Snapshot{Watching: true, Clusters: ready, Sets: []Set{{}}, Apps: []App{good("a")}}},
		"SetBroken":    {reason: "some may be missing", s: Snapshot{Watching: true, Clusters: ready, Sets: []Set{{Done: true, Problem: "x"}}, Apps: []App{good("a")}}},
		"OutOfSync":    {reason: "the engine will sync it", s: Snapshot{Watching: true, Clusters: ready, Apps: []App{with(good("a"), func(a *App) { a.Sync = "OutOfSync" })}}},
		"ByHand":       {reason: "the engine waits for a person", s: Snapshot{Watching: true, Clusters: ready, Apps: []App{with(good("a"), func(a *App) { a.Sync, a.Manual = "OutOfSync", true })}}, want: true},
		"Running":      {reason: "a sync is not done", s: Snapshot{Watching: true, Clusters: ready, Apps: []App{with(good("a"), func(a *App) { a.Phase = "Running" })}}},
		"Checking":     {reason: "the state is of an earlier run", s: Snapshot{Watching: true, Clusters: ready, Apps: []App{with(good("a"), func(a *App) { a.Checking = true })}}},
		"Problem":      {reason: "something is wrong", s: Snapshot{Watching: true, Clusters: ready, Apps: []App{with(good("a"), func(a *App) { a.Problem = "x" })}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.s.Settled(); got != tc.want {
				t.Errorf("%s: settled is %v", tc.reason, got)
			}
		})
	}
}

func TestCount(t *testing.T) {
	s := Snapshot{Apps: []App{
		good("a"),
		with(good("b"), func(a *App) { a.Health = "Degraded" }),
		with(good("c"), func(a *App) { a.Cluster, a.Sync = "prod", "OutOfSync" }),
	}}
	for cluster, want := range map[string]Tally{
		"":     {Apps: 3, Synced: 2, Healthy: 2, Good: 1},
		"dev":  {Apps: 2, Synced: 2, Healthy: 1, Good: 1},
		"prod": {Apps: 1, Healthy: 1},
		"none": {},
	} {
		if diff := cmp.Diff(want, s.Count(cluster)); diff != "" {
			t.Errorf("cluster %q: %s", cluster, diff)
		}
	}
}
