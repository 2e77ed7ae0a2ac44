package slots

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
)

// TestSlotsOfOneProject has a project that never gives back what it takes,
// and others that are served all the same.
func TestSlotsOfOneProject(t *testing.T) {
	s := New(4)
	refused, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if _, err := s.Take(t.Context(), Of("red")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Take(refused, Of("red")); err == nil {
		t.Error("one project takes more than half of the slots")
	}
	for _, project := range []string{"blue", "green", "blue", "green"} {
		if _, err := s.Take(t.Context(), Of(project)); err != nil {
			t.Fatal(err)
		}
		s.Give(project)
	}
	s.Give("red")
	s.Give("red")
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
			s := New(4)
			s.used = tc.used
			for _, project := range tc.waiting {
				s.waiting = append(s.waiting, &turn{projects: Of(project)})
			}
			if got, _ := s.next(); got != tc.next {
				t.Errorf("%s: %d, want %d", tc.reason, got, tc.next)
			}
		})
	}
}

// TestSlotsGoRound has as many who always want more as there are slots: who
// comes later waits for one turn of each of them, and not for all that they want.
func TestSlotsGoRound(t *testing.T) {
	s := Shares(2, 1)
	var order []string
	wait := func(project string) *turn {
		one := &turn{projects: Of(project), granted: make(chan struct{})}
		s.join(one)
		return one
	}
	for range 100 {
		wait("red")
		wait("green")
	}
	s.grant()
	blue := wait("blue")
	for range 10 {
		for _, project := range []string{"red", "green"} {
			if s.used[project] > 0 {
				s.Give(project)
				order = append(order, project)
			}
			select {
			case <-blue.granted:
				if len(order) > 4 {
					t.Errorf("who comes later waits for %v", order)
				}
				return
			default:
			}
		}
	}
	t.Errorf("who comes later waits for ever, for %v", order)
}

// TestSlotsOfWhoGivesUp has somebody give up much that they wanted: that is no
// debt, and nothing is remembered of it.
func TestSlotsOfWhoGivesUp(t *testing.T) {
	s := Shares(1, 1)
	if _, err := s.Take(t.Context(), Of("green")); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if _, err := s.Take(gone, Of("red")); err == nil {
			t.Fatal("there are more slots than one")
		}
	}
	red := &turn{projects: Of("red"), granted: make(chan struct{})}
	s.join(red)
	if red.round > 1 || len(s.last) > 2 {
		t.Errorf("it comes in round %d; remembered are %v", red.round, s.last)
	}
}

// TestSlotsGrantedAtTheEnd has those who wait for one slot give up, or get it, and none is lost.
func TestSlotsGrantedAtTheEnd(t *testing.T) {
	s := New(1)
	for range 1000 {
		if _, err := s.Take(t.Context(), Of("blue")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := s.Take(ctx, Of("red"))
			ended <- err
		}()
		go cancel()
		s.Give("blue")
		if err := <-ended; err == nil {
			s.Give("red")
		}
		if s.free != 1 || slices.Contains([]int{len(s.waiting), len(s.used)}, 1) {
			t.Fatalf("a slot was lost: %+v", s)
		}
	}
}

// TestSlotsOfWhatBelongsToMany serves what a project waits for that has no
// slots left as soon as another one waits for it, too.
func TestSlotsOfWhatBelongsToMany(t *testing.T) {
	s := New(2)
	if _, err := s.Take(t.Context(), Of("red")); err != nil {
		t.Fatal(err)
	}
	var of atomic.Pointer[[]string]
	of.Store(&[]string{"red"})
	asked, got := make(chan struct{}, 1), make(chan string)
	go func() {
		project, err := s.Take(t.Context(), func() []string {
			select {
			case asked <- struct{}{}:
			default:
			}
			return *of.Load()
		})
		if err != nil {
			project = err.Error()
		}
		got <- project
	}()
	<-asked
	of.Store(&[]string{"red", "blue"})
	s.Again()
	if project := <-got; project != "blue" {
		t.Errorf("the slot is that of %s", project)
	}
}
