package terminal

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/stream"
)

// Bounds of terminals.
const (
	// most is how many there are at a time, and each how many one person has.
	most = 50
	each = 5
	// Idle ends a terminal in which nothing was typed for as long: what a
	// program writes shows nobody's presence.
	Idle = 30 * time.Minute
	// Longest ends each terminal.
	Longest = 8 * time.Hour
	// look is how often all of that is usually looked at, and whether who opened
	// the terminal may still have it.
	look = 10 * time.Second
	// lookTime bounds one look, and mostMisses are looks in a row that need not
	// come to an answer.
	lookTime   = 10 * time.Second
	mostMisses = 6
)

// Clock tells the time, and when to look. A test has one of its own.
type Clock struct {
	Now func() time.Time
	// Ticks has the time when it is time to look, until stop is called.
	Ticks func() (ticks <-chan time.Time, stop func())
}

func realClock(every time.Duration) Clock {
	return Clock{time.Now, func() (<-chan time.Time, func()) {
		t := time.NewTicker(every)
		return t.C, t.Stop
	}}
}

// Desk has the terminals that are open.
type Desk struct {
	clock Clock
	slots *stream.Slots

	mu     sync.Mutex
	closed bool
	open   sync.WaitGroup
}

// NewDesk makes one with the time of the machine, which looks every so often;
// every 10 seconds when that is 0.
func NewDesk(every time.Duration) *Desk { return NewDeskAt(realClock(cmp.Or(every, look))) }

// NewDeskAt makes one with another time.
func NewDeskAt(c Clock) *Desk { return &Desk{clock: c, slots: stream.NewSlots(most, each)} }

// Take takes a place for a person until free is called; not ok where there is
// none, or where the server stops.
func (d *Desk) Take(person string) (free func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, false
	}
	place, ok := d.slots.Take(person)
	if !ok {
		return nil, false
	}
	d.open.Add(1)
	return sync.OnceFunc(func() { place(); d.open.Done() }), true
}

// Run waits until ctx ends, and then for the terminals, whose requests end with
// it: what they tell at their end is told before it returns.
func (d *Desk) Run(ctx context.Context) {
	<-ctx.Done()
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.open.Wait()
}
