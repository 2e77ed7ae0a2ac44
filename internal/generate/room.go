package generate

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/seat"
)

// Room is where large expansions are, so that all of an engine's together hold
// no more than there is. Those that stay small need none of it.
type Room struct{ free *semaphore.Weighted }

// roomOfAll is what large expansions of one Room hold together, and small what
// each may hold without any of it.
const (
	roomOfAll = 192 << 20
	small     = 1 << 20
	// more is how much larger the next try is.
	more = 16
)

// NewRoom makes the Room of an engine.
func NewRoom() *Room { return &Room{semaphore.NewWeighted(roomOfAll)} }

// WithRoom has expansions that get large wait for one another. Who is given an
// Expansion releases it.
func WithRoom(r *Room) Option { return func(g *Generator) { g.room = r } }

// Release gives back the room that an expansion has: the Applications are no
// longer used. It may be called of none, and again.
func (e *Expansion) Release() {
	if e == nil || e.release == nil {
		return
	}
	e.release()
	e.release = nil
}

// roomy expands a set in as little room as will do. An expansion that needs more
// than it has lets go of everything, waits for more, and begins anew: none that
// waits holds anything, so those that wait for each other cannot be.
func (g *Generator) roomy(ctx context.Context, set *v1alpha1.ApplicationSet) (*Expansion, error) {
	most := int64(g.limits.Held)
	if g.room == nil {
		out, _, err := g.once(ctx, set, most)
		return out, err
	}
	for share := min(small, most); ; share = min(share*more, most) {
		out, err := g.within(ctx, set, share)
		if !errors.Is(err, errLarge) {
			return out, err
		}
	}
}

// within expands a set in so much room.
func (g *Generator) within(ctx context.Context, set *v1alpha1.ApplicationSet, share int64) (*Expansion, error) {
	taken := int64(0)
	if share > small {
		taken = min(share, roomOfAll)
	}
	if err := g.room.take(ctx, taken); err != nil {
		return &Expansion{}, err
	}
	out, held, err := g.once(ctx, set, share)
	if err != nil {
		g.room.free.Release(taken)
		return out, err
	}
	left := min(taken, planned*held)
	if g.parameters {
		left = taken // these are there as well
	}
	g.room.free.Release(taken - left)
	out.release = func() { g.room.free.Release(left) }
	return out, nil
}

// planned is how much of the Applications there is when they are compared with
// those that are there: they themselves, and what these are to become.
const planned = 2

func (r *Room) take(ctx context.Context, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	_, err := seat.Away(ctx, "", func(ctx context.Context) (struct{}, error) { return struct{}{}, r.free.Acquire(ctx, bytes) })
	if err != nil {
		return fmt.Errorf("cannot expand while other large ApplicationSets are expanded: %w", err)
	}
	return nil
}
