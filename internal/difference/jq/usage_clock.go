package jq

import (
	"context"
	"syscall"
	"time"
)

const (
	// patience is how long an evaluation may take in a worker that gets little
	// of its machine.
	patience = 10 * within
	// lookEvery is how often a worker looks at what an evaluation has used.
	lookEvery = 20 * time.Millisecond
)

// clock tells what an evaluation has used of a process: what others do on the
// machine is not its fault.
type clock struct {
	begun time.Time
	used  time.Duration
}

func newClock() *clock { return &clock{time.Now(), processTime()} }

// took is the time of the processor, and no more than what has passed: the
// collector of memory works beside an evaluation.
func (c *clock) took() time.Duration { return min(time.Since(c.begun), processTime()-c.used) }

// over reports whether an evaluation has had its time, or that nobody waits longer.
func (c *clock) over(most, patience time.Duration) bool {
	return c.took() > most || time.Since(c.begun) > patience
}

// within ends a context when an evaluation has had its time, or by the function that
// comes back.
func (c *clock) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with ctx
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if c.over(within, patience) {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// processTime is what this process has used of processors so far.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
