package cli

import (
	"context"
	"errors"
	"time"
)

// within bounds what a command does by its --timeout, where 0 is no bound. late
// is what it ends with then.
func within(ctx context.Context, limit time.Duration, late error) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, late)
}

// overdue is the error of a command whose time is over, instead of how what it
// was doing then failed.
func overdue(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}
