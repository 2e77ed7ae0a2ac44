package sandbox

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// blowsAfter is how many runs in a row may reach a limit before a program is
// not run any more.
const blowsAfter = 3

// fuse keeps a program that loops from taking its second of time for each
// object of a fleet, again and again.
type fuse struct{ strikes atomic.Int32 }

var errBlown = errors.New("it reached a limit at several objects and is not run any more until it is changed")

func (f *fuse) blown() error {
	if f.strikes.Load() < blowsAfter {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrLimit, errBlown)
}

func (f *fuse) after(err error) {
	switch {
	case errors.Is(err, errBudget):
		f.strikes.Add(1)
	case f.strikes.Load() != 0:
		f.strikes.Store(0)
	}
}
