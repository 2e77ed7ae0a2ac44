package await

import (
	"context"
	"testing"
	"time"
)

// Interval is how often a condition is looked at.
const Interval = 20 * time.Millisecond

// Until waits until check returns nil, and fails the test when it has not within Limit; the last error of check tells
// what was missing.
func Until(t testing.TB, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	defer cancel()
	again := time.NewTicker(Interval)
	defer again.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		// A check that was cut short by the deadline knows less than the one before it.
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %v", Limit, last)
		case <-again.C:
		}
	}
}
