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
	parts      parts
}

// workplaces are how many things are made in a Room at a time, of which one
// project has half.
const workplaces = 8

// NewRoom makes a Room that keeps so many bytes at most, of which one project
// has two thirds, and in which as much again is being made, two thirds of it for
// one project. One thing alone takes no more than what one project may keep.
func NewRoom(size int64) *Room {
	most := size / 3 * 2 //nolint:mnd // two thirds
	return &Room{
		size: size, most: most,
		kept:   cache.NewShares[string, any](size, most),
		places: slots.New(workplaces), free: semaphore.NewWeighted(size), parts: parts{size: most, of: map[string]*part{}},
	}
}

// Has reports whether something is kept.
func (r *Room) Has(key string) bool {
	_, ok := r.Kept(key)
	return ok
}

// Kept is what is kept under a key. Who waits for something meanwhile does not
// hold it.
func (r *Room) Kept(key string) (value any, ok bool) { return r.kept.Get(key) }

// Again lets those go on whose work belongs to more projects than it did.
func (r *Room) Again() { r.places.Again() }

// Work does what may take so many bytes while it lasts, in the turn of the
// projects that it is for. What may take more than there is has all of it. The
// error is the context's, or that of the work.
func (r *Room) Work(ctx context.Context, by func() []string, weight int64, work func() error) error {
	return r.work(ctx, by, weight, func(string) error { return work() })
}

// Made is what a Room makes, and keeps for as long as it has place.
type Made struct {
	// Key names it among all that are kept.
	Key string
	// Weight is what making and using it may take, in bytes.
	Weight int64
	// Build makes it, and tells what it takes while it is kept.
	Build func() (value any, size int64, err error)
}

// Make returns what is kept under a key. What is not is made, as Work is done,
// and kept for the project in whose turn that was.
func (r *Room) Make(ctx context.Context, by func() []string, m Made) (any, error) {
	if value, ok := r.kept.Get(m.Key); ok {
		return value, nil
	}
	var value any
	err := r.Use(ctx, by, m, func(v any) error {
		value = v
		return nil
	})
	return value, err
}

// Use does something with what is kept under a key, or is made, as Work is done.
// Nobody who waits for it holds what went meanwhile.
func (r *Room) Use(ctx context.Context, by func() []string, m Made, use func(value any) error) error {
	return r.work(ctx, by, m.Weight, func(project string) error {
		value, ok := r.kept.Get(m.Key)
		if ok {
			return use(value)
		}
		value, size, err := m.Build()
		if err != nil {
			return err
		}
		r.kept.Put(project, m.Key, value, size)
		return use(value)
	})
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
	end, err := r.parts.take(ctx, project, weight)
	if err != nil {
		return err
	}
	defer end()
	if err := r.free.Acquire(ctx, weight); err != nil {
		return err
	}
	defer r.free.Release(weight)
	return work(project)
}
