package archive

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Room is the memory for what repositories of charts and artifacts unpack to,
// their indexes too: one for all of them. What is kept in it goes when others
// need the place, and is made again when it is asked for.
type Room struct {
	size, most int64
	kept       *cache.Shares[string, any]
	places     *slots.Slots
	free       *semaphore.Weighted
}

// workplaces are how many things are made in a Room at a time, of which one
// project has half.
const workplaces = 8

// NewRoom makes a Room that keeps so many bytes at most, of which one project
// has two thirds, and in which as much again is being made. One thing alone
// takes no more than what one project may keep.
func NewRoom(size int64) *Room {
	most := size / 3 * 2 //nolint:mnd // two thirds
	return &Room{
		size: size, most: most,
		kept:   cache.NewShares[string, any](size, most),
		places: slots.New(workplaces), free: semaphore.NewWeighted(size),
	}
}

// Has tells whether something is kept.
func (r *Room) Has(key string) bool {
	_, ok := r.kept.Get(key)
	return ok
}

// Again lets those go on whose work belongs to more projects than it did.
func (r *Room) Again() { r.places.Again() }

// Work does what may take so many bytes while it lasts, in the turn of the
// projects that it is for. What may take more than there is has all of it. The
// error is the context's, or that of the work.
func (r *Room) Work(ctx context.Context, by func() []string, weight int64, work func() error) error {
	return r.work(ctx, by, weight, func(string) error { return work() })
}

// Make returns what is kept under a key. What is not is made, as Work is done,
// and kept for the project in whose turn that was.
func (r *Room) Make(ctx context.Context, by func() []string, key string, weight int64, build func() (value any, size int64, err error)) (any, error) {
	value, ok := r.kept.Get(key)
	if ok {
		return value, nil
	}
	err := r.work(ctx, by, weight, func(project string) error {
		if value, ok = r.kept.Get(key); ok {
			return nil // somebody made it meanwhile
		}
		made, size, err := build()
		if err != nil {
			return err
		}
		value = made
		r.kept.Put(project, key, made, size)
		return nil
	})
	return value, err
}

func (r *Room) work(ctx context.Context, by func() []string, weight int64, work func(project string) error) error {
	if by == nil {
		by = slots.Of("")
	}
	project, err := r.places.Take(ctx, by)
	if err != nil {
		return err
	}
	defer r.places.Give(project)
	weight = min(max(weight, 1), r.size)
	if err := r.free.Acquire(ctx, weight); err != nil {
		return err
	}
	defer r.free.Release(weight)
	return work(project)
}
