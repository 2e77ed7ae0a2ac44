// Package crew does things at the same time and waits for all of them. A
// panic of one, which would end the process with everybody's work, becomes an
// error of who waits for it. It knows nothing of what is done.
package crew

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Panic is the error that a panic becomes. It has the type of the panic's value
// alone: the value may have what users wrote.
type Panic struct{ Type string }

// Error implements error.
func (p *Panic) Error() string {
	return fmt.Sprintf("Causeway met a fault of its own (%s): report it with the stack in its log", p.Type)
}

// Safely calls do. A panic of it is logged with its stack, and returned as a
// *Panic. Goroutines that are in no group have it for themselves.
func Safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			broke := &Panic{fmt.Sprintf("%T", p)}
			slog.Error("Causeway met a fault of its own", "panic", broke.Type, "stack", string(debug.Stack()))
			err = broke
		}
	}()
	return do()
}

// Group is what errgroup.Group is, with panics as errors. Its zero value has no
// limit, and ends no context.
type Group struct {
	inner  errgroup.Group
	cancel context.CancelCauseFunc
}

// WithContext makes a group, and a context that ends with the first error of its
// functions, and with Wait.
func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{cancel: cancel}, ctx
}

// SetLimit bounds how many functions are called at a time. It is for before the
// first one.
func (g *Group) SetLimit(most int) { g.inner.SetLimit(most) }

// Go calls do in a goroutine of its own, when there is a place for it. Where Wait's
// error is not looked at, do has Safely around what has to leave an error of its own.
func (g *Group) Go(do func() error) {
	g.inner.Go(func() error {
		err := Safely(do)
		if err != nil {
			g.end(err)
		}
		return err
	})
}

// Wait returns when all functions have, with the first error of them.
func (g *Group) Wait() error {
	err := g.inner.Wait()
	g.end(err)
	return err
}

func (g *Group) end(why error) {
	if g.cancel != nil {
		g.cancel(why)
	}
}
