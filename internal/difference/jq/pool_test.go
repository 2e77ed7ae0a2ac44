package jq

import "testing"

// TestWorkersKilledAtOnce kills all idle workers, as a node that lacks memory
// does: the next question is answered all the same.
func TestWorkersKilledAtOnce(t *testing.T) {
	p := &pool{slots: make(chan struct{}, maxWorkers)}
	for range 3 {
		var idle []*worker
		for range maxWorkers {
			w, err := p.take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			idle = append(idle, w)
		}
		for _, w := range idle {
			p.give(w)
			w.kill()
		}
		a, err := p.ask(t.Context(), question{Verb: find, Text: ".spec.containers[1:]", Object: object()})
		if err != nil || len(a.Paths) != 1 {
			t.Fatalf("with %d dead workers: %v, %v", maxWorkers, a, err)
		}
	}
	for _, w := range p.idle {
		w.timer.Stop()
		_ = w.end()
	}
}
