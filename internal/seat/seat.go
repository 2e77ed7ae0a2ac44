// Package seat lets work that waits for others, a Git host that is silent or a render in line, give its worker to who
// can use it meanwhile. It carries the seat in the context, and does not know who hands them out.
package seat

import "context"

// Seat is a place among workers.
type Seat interface {
	// Away has wait run without the place, and returns when there is a place
	// again, with wait's error or the context's. Host is what is waited for.
	Away(ctx context.Context, host string, wait func() error) error
}

type key struct{}

// With returns a context of work that has a seat.
func With(ctx context.Context, s Seat) context.Context { return context.WithValue(ctx, key{}, s) }

// Away returns what wait does, which runs without the seat of the context, or
// as it is where there is none. What it waits for in turn, a render for a
// repository, is no business of the seat: its context has none. Host is what
// is waited for; it may be empty.
func Away[T any](ctx context.Context, host string, wait func(context.Context) (T, error)) (T, error) {
	s, ok := ctx.Value(key{}).(Seat)
	if !ok {
		return wait(ctx)
	}
	var out T
	err := s.Away(ctx, host, func() (err error) {
		out, err = wait(context.WithValue(ctx, key{}, nil))
		return err
	})
	return out, err
}
