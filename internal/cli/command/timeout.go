package command

import (
	"context"
	"errors"
	"time"
)

// Within bounds what a command does by its --timeout, where 0 is no bound. late
// is what it ends with then.
func Within(ctx context.Context, limit time.Duration, late error) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, late)
}

// Overdue is the error of a command whose time is over, instead of how what it
// was doing then failed.
func Overdue(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}

// Patience is how long --once and --detach wait for all to be healthy.
const Patience = 10 * time.Minute

// FollowPause is how often a sync is looked at.
const FollowPause = 250 * time.Millisecond

// WatchPause is how often a watched list is read again.
const WatchPause = time.Second

// Sleep waits for a time, or for the end of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
