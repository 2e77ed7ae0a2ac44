package apply

import (
	"context"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// broken is a cluster that panics whatever it is asked.
type broken struct{ Cluster }

// TestStepPanics has a fault in one object's apply be that object's error: the
// others of its step go on, and so does the process.
func TestStepPanics(t *testing.T) {
	w := gitops.Wave{Actions: []gitops.Action{
		{Key: gitops.Key{Kind: "ConfigMap", Name: "bad"}, Verb: gitops.Prune},
		{Key: gitops.Key{Kind: "ConfigMap", Name: "good"}, Verb: gitops.Keep},
	}}
	results := make([]gitops.Result, 2)
	(&Applier{}).step(t.Context(), broken{}, w, 0, 2, results)
	if r := results[0]; r.Err == nil || r.Status != syncFailed || r.Key.Name != "bad" || r.Deleted {
		t.Errorf("a panic is not the object's error: %+v", r)
	}
	if r := results[1]; r.Err != nil || r.Status != synced {
		t.Errorf("another object of the step did not go on: %+v", r)
	}
}

// TestPlaceIsGivenBack has a request that meets a fault keep its place from nobody.
func TestPlaceIsGivenBack(t *testing.T) {
	limit := newLimiter(InFlight{Start: 1, Min: 1, Max: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // who finds no place does not wait for one
	for range 3 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the request did not panic")
				}
			}()
			_, err := inTurn(ctx, limit, "blue", broken{}, call{})
			t.Errorf("no place: %v", err)
		}()
	}
}
