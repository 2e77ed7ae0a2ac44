package render

import (
	"context"
	"slices"
	"testing"
)

// TestSlotsOfOneProject has a project that never gives back what it takes,
// and others that are served all the same.
func TestSlotsOfOneProject(t *testing.T) {
	s := newSlots(4)
	refused, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if err := s.take(t.Context(), "red"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.take(refused, "red"); err == nil {
		t.Error("one project takes more than half of the slots")
	}
	for _, project := range []string{"blue", "green", "blue", "green"} {
		if err := s.take(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		s.give(project)
	}
	s.give("red")
	s.give("red")
	if len(s.used) != 0 || s.free != 4 || len(s.waiting) != 0 {
		t.Errorf("something is left: %+v", s)
	}
}

// TestSlotsGoToWhoHasTheFewest orders those who wait.
func TestSlotsGoToWhoHasTheFewest(t *testing.T) {
	tests := map[string]struct {
		reason  string
		used    map[string]int
		waiting []string
		next    int
	}{
		"First":  {"who came first", nil, []string{"red", "blue"}, 0},
		"Fewest": {"who has none goes before who has one", map[string]int{"red": 1}, []string{"red", "red", "blue"}, 2},
		"Most":   {"who has half of them waits", map[string]int{"red": 2}, []string{"red"}, -1},
		"Nobody": {"nobody waits", nil, nil, -1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSlots(4)
			s.used = tc.used
			for _, project := range tc.waiting {
				s.waiting = append(s.waiting, &turn{project: project})
			}
			if got := s.next(); got != tc.next {
				t.Errorf("%s: %d, want %d", tc.reason, got, tc.next)
			}
		})
	}
}

// TestSlotsGrantedAtTheEnd has those who wait for one slot give up, or get it, and none is lost.
func TestSlotsGrantedAtTheEnd(t *testing.T) {
	s := newSlots(1)
	for range 1000 {
		if err := s.take(t.Context(), "blue"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.take(ctx, "red") }()
		go cancel()
		s.give("blue")
		if err := <-ended; err == nil {
			s.give("red")
		}
		if s.free != 1 || slices.Contains([]int{len(s.waiting), len(s.used)}, 1) {
			t.Fatalf("a slot was lost: %+v", s)
		}
	}
}
