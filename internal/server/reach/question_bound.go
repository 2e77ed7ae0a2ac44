package reach

import (
	"context"
	"sync/atomic"
)

// Bound is how many questions the rights may still ask of Kubernetes for one
// request. What they remember costs nothing.
type Bound struct {
	left  atomic.Int64
	short atomic.Bool
}

type boundKey struct{}

// Bounded is a context in which so many are asked at most. What is not asked
// is not allowed.
func Bounded(ctx context.Context, most int) (context.Context, *Bound) {
	b := &Bound{}
	b.left.Store(int64(most))
	return context.WithValue(ctx, boundKey{}, b), b
}

// MayAsk takes a question of those that are left. There is no end to them where
// nobody set one.
func MayAsk(ctx context.Context) bool {
	b, bounded := ctx.Value(boundKey{}).(*Bound)
	if !bounded {
		return true
	}
	if b.left.Add(-1) >= 0 {
		return true
	}
	b.short.Store(true)
	return false
}

// Short reports whether there was more to ask.
func (b *Bound) Short() bool { return b.short.Load() }

type patientKey struct{}

// Patiently is a context of who waits for answers of Kubernetes, half a minute for each:
// who looks through many things leaves none out because it is the turn of others. Who
// asks about one thing is told to come again.
func Patiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, patientKey{}, true)
}

// Patient reports whether a context is of who waits.
func Patient(ctx context.Context) bool {
	waits, _ := ctx.Value(patientKey{}).(bool)
	return waits
}
