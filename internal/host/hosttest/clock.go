// Package hosttest helps tests of Git hosts: a clock that does not sleep, and
// a server that answers as it is told and remembers what it was asked.
package hosttest

import (
	"sync"
	"time"
)

// Clock goes forward only by being waited on. It is safe for parallel use.
type Clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

// NewClock makes a Clock that stands at a time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now is where the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After moves the clock forward and answers at once.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = append(c.waits, d)
	done := make(chan time.Time, 1)
	done <- c.now
	return done
}

// Waits are the waits until now, in order.
func (c *Clock) Waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.waits...)
}
