package wake

import (
	"testing"
	"time"
)

const (
	testBurst = 50
	testEvery = 250 * time.Millisecond
)

// TestPace has changes come without end.
func TestPace(t *testing.T) {
	const together, later = 10 * time.Millisecond, 2 * time.Second
	now := time.Unix(0, 0)
	p := NewPace[string](testBurst, testEvery)
	p.now = func() time.Time { return now }
	const changes, apart = 60_000, time.Millisecond
	looks, due := 0, time.Time{}
	for range changes {
		pause := p.Pause("shop", together)
		if pause <= 0 || pause > 2*testEvery {
			t.Fatalf("a change is looked at in %s", pause)
		}
		if next := now.Add(pause); !next.Equal(due) { // else the queue makes one of both
			looks, due = looks+1, next
		}
		now = now.Add(apart)
	}
	if most := testBurst + int(changes*apart/testEvery) + 1; looks > most || looks < testBurst {
		t.Errorf("%d looks within %s; want at most %d", looks, changes*apart, most)
	}
	if pause := p.Pause("other", together); pause != together {
		t.Errorf("another one: %s", pause)
	}
	now = now.Add(time.Hour)
	if pause := p.Pause("shop", later); pause != later {
		t.Errorf("what is not urgent is looked at in %s", pause)
	}
	if pause := p.Pause("shop", together); pause != together {
		t.Errorf("a change that is urgent waits for one that is not: %s", pause)
	}
	if pause := p.Pause("shop", later); pause != together {
		t.Errorf("a look comes soon, and another one is asked for in %s", pause)
	}
	p.Forget("shop")
	if len(p.of) != 1 {
		t.Errorf("%d are remembered", len(p.of))
	}
}

// TestTurns are taken, or waited for without being taken.
func TestTurns(t *testing.T) {
	now := time.Unix(0, 0)
	p := NewPace[string](2, time.Minute)
	p.now = func() time.Time { return now }
	for i, want := range []time.Duration{0, 0, time.Minute, time.Minute} {
		if got := p.Take("a"); got != want {
			t.Errorf("try %d waits %s, want %s", i, got, want)
		}
	}
	if got := p.Take("b"); got != 0 {
		t.Errorf("another one waits %s", got)
	}
	now = now.Add(time.Minute)
	if got := p.Take("a"); got != 0 {
		t.Errorf("after a pause it waits %s", got)
	}
}

// TestPacesAreForgotten has more keys come than there ever are at a time.
func TestPacesAreForgotten(t *testing.T) {
	now := time.Unix(0, 0)
	p := NewPace[int](2, time.Second)
	p.now = func() time.Time { return now }
	for key := range 10 * fewest {
		p.Take(key)
		now = now.Add(time.Millisecond)
	}
	if len(p.of) > 2*fewest {
		t.Errorf("%d are remembered, most of which rest", len(p.of))
	}
}
