// Package room accounts for memory that work of all projects has in use at a time, in bytes. Who finds none is told so and asks
// again: nobody waits in it. It does not know what is in the memory, and gives none: it counts what others say that they take.
package room

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNoRoom tells that there is no room now. Who gets it leaves what it is at as it
// was, and asks again in a while.
var ErrNoRoom = errors.New("there is no room in memory for the manifests now")

// Room is memory, in bytes, that work of all projects has in use at a time. Nobody waits
// in it, so nobody is waited for: who finds no room is told so, and asks again. Of those
// who do, each has its turn:
//
//   - A project has no more in use than is left free, so half at most. What is larger than
//     half counts as half, and is let in as long as its project has nothing else in use.
//     However much one project wants, each other one finds half of the room.
//   - A project that has nothing in use is let in beside the room where others fill it, or
//     come first, for as much as an ordinary Application takes. Two projects in one hand,
//     with half each, would stop all others else.
//   - Who was refused before is let in before those who ask later: of its own project, and
//     of all others where these were in its way and not its own.
//   - What is small waits for nobody of its own project, and is in nobody's way there: there
//     is one project alone in many an engine.
//
// It is safe for concurrent use. In a nil one there is room for all.
type Room struct {
	size int64

	mu sync.Mutex
	// used is what is in use in the room, and beside what is so beside it.
	used, beside int64
	// held is what each project has in use, in the room or beside it, without what is small.
	held map[string]int64
	// claims are of those who found no room, by who they are.
	claims map[string]*claim
	turns  uint64
	// told is when it was told of a project last that it finds no room.
	told map[string]time.Time
}

const (
	// unheeded is the part of a room that is no matter: each worker has as much beside it.
	unheeded = 1 << 10
	// small is the part of a room that is no matter to others of its own project.
	small = 1 << 8
	// sole is the part of a room that a project with nothing in use has whatever others
	// have. All that is let in beside the room so is three quarters of it: 48 workers.
	sole     = 1 << 6
	soleMost = 48
	// lively is how long a claim holds after somebody asked.
	lively = 10 * time.Second
	// tellEvery is how often it is told that a project finds no room.
	tellEvery = time.Minute
)

// New makes a Room of so many bytes.
func New(size int64) *Room {
	return &Room{size: size, held: map[string]int64{}, claims: map[string]*claim{}, told: map[string]time.Time{}}
}

// Guest is one piece of work in a Room. The Room's lock guards it.
type Guest struct {
	room         *Room
	who, project string
	// needs is what it asked for, and has what it counts for; used is how much of that is in
	// the room, all or nothing, and held how much counts for its project.
	needs, has     int64
	used, held     int64
	refused, ended bool
}

type guestKey struct{}

// Enter returns a context of work of a project; who names it, so that it is known when it
// comes again, for the same project: to claim another one's room is nobody's who may not
// have it. End gives back what is taken by the context.
func (r *Room) Enter(ctx context.Context, project, who string) (context.Context, *Guest) {
	if r == nil {
		return ctx, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.claims[who]; c != nil && c.project != project {
		delete(r.claims, who)
	}
	g := &Guest{room: r, who: who, project: project}
	return context.WithValue(ctx, guestKey{}, g), g
}

// Take takes room for so many bytes more by a context, and for what its work lacked when
// it was refused last, all or nothing. The error is ErrNoRoom. Work that is in no Room has
// all that it wants.
func Take(ctx context.Context, bytes int64) error {
	g, ok := ctx.Value(guestKey{}).(*Guest)
	if !ok {
		return nil
	}
	g.room.mu.Lock()
	defer g.room.mu.Unlock()
	g.needs += max(bytes, 0)
	return g.take()
}

// Fits reports whether there is room for what the work of a context lacked when it was
// refused last. It takes none. The error is ErrNoRoom.
func Fits(ctx context.Context) error {
	g, ok := ctx.Value(guestKey{}).(*Guest)
	if !ok {
		return nil
	}
	g.room.mu.Lock()
	defer g.room.mu.Unlock()
	_, _, err := g.check()
	return err
}

// End gives back what the work took. What it takes from then on it does not get.
func (g *Guest) End() {
	if g == nil {
		return
	}
	g.room.mu.Lock()
	defer g.room.mu.Unlock()
	g.count(0, 0)
	g.ended = true
	if !g.refused {
		delete(g.room.claims, g.who)
	}
}

// Tells tells, once in a while, that the project finds no room.
func (g *Guest) Tells() bool {
	r, now := g.room, time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.told[g.project]; ok && now.Sub(last) < tellEvery {
		return false
	}
	for project, last := range r.told {
		if now.Sub(last) >= tellEvery {
			delete(r.told, project)
		}
	}
	r.told[g.project] = now
	return true
}

// Forget forgets that somebody found no room, who will not ask again.
func (r *Room) Forget(who string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.claims, who)
}

// Used is what is in use, and Refused how many found no room when they asked last.
func (r *Room) Used() (bytes int64, refused int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, c := range r.claims {
		if c.holds(now) {
			refused++
		}
	}
	return r.used + r.beside, refused
}

// check tells what the guest counts for with all that it needs, and how much of that is in
// the room. Where there is no room for it that is noted, and the error is ErrNoRoom. The lock
// is held.
func (g *Guest) check() (want, used int64, err error) {
	r := g.room
	if g.ended {
		return 0, 0, ErrNoRoom
	}
	want = r.counts(g.needs)
	if c := r.claims[g.who]; c != nil {
		want = max(want, c.bytes)
	}
	if want <= g.has {
		return g.has, g.used, nil
	}
	used, ok := r.fits(g, want)
	if !ok {
		r.refuse(g, want)
		return 0, 0, ErrNoRoom
	}
	return want, used, nil
}

// take has the guest count for all that it needs, if there is room for that. The lock is
// held.
func (g *Guest) take() error {
	want, used, err := g.check()
	if err != nil || want == g.has {
		return err
	}
	g.count(want, used)
	if c := g.room.claims[g.who]; c != nil {
		c.asked = time.Time{} // it would count beside what it claimed; the turn is for what more it needs
	}
	return nil
}

// counts is what work counts for that needs so many bytes.
func (r *Room) counts(bytes int64) int64 {
	if bytes <= r.size/unheeded {
		return 0
	}
	return min(bytes, r.size/2) //nolint:mnd // half
}

// count has a guest count for so many bytes, so many of them in the room. The lock is held.
func (g *Guest) count(has, used int64) {
	r, held := g.room, has
	if r.isSmall(has) {
		held = 0
	}
	r.used += used - g.used
	r.beside += has - used - (g.has - g.used)
	if r.held[g.project] += held - g.held; r.held[g.project] == 0 {
		delete(r.held, g.project)
	}
	g.has, g.used, g.held = has, used, held
}

func (r *Room) isSmall(bytes int64) bool { return bytes <= r.size/small }

// fits reports whether a guest may have so many bytes, and how many of them are in the room
// then, all or none. What those lack who were refused before it counts as if they had it.
// The lock is held.
func (r *Room) fits(g *Guest, want int64) (used int64, ok bool) {
	others, held := r.used-g.used, r.held[g.project]-g.held
	own, other := r.before(g)
	if own != nil && !r.isSmall(want) {
		others, held = others+own.bytes, held+own.bytes
	}
	if other != nil {
		// With what their project has it is half at most.
		others += max(0, min(other.bytes, r.size/2-r.held[other.project])) //nolint:mnd // half
	}
	free := r.size - others - want
	if free >= 0 && (r.isSmall(want) || held == 0 || held+want <= free) {
		return want, true
	}
	beside := r.beside - (g.has - g.used) + want
	return 0, held == 0 && want <= r.size/sole && beside <= r.size/sole*soleMost
}
