package render

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/memory"
	"github.com/causeway-gitops/causeway/internal/seat"
)

// room is the memory of manifests that are compared and applied, of all who use
// some at a time. Small ones need none of it. A project has three quarters of it at
// most, and half for one destination, so that a cluster that takes long keeps nobody
// else's manifests out. It is safe for concurrent use.
type room struct {
	most int64
	// patience is how long somebody waits.
	patience time.Duration

	mu      sync.Mutex
	held    int64
	of      map[string]int64 // by project, and by project and destination
	waiting []*guest
}

// guest is one who waits for room.
type guest struct {
	use   *use
	bytes int64
	given chan struct{}
}

// smallUse is what manifests may take without any room, in bytes.
const smallUse = 1 << 20

// leastRoom is the room where there is little memory.
const leastRoom = 192 << 20

// roomOf is the room where there is so much memory.
func roomOf(there int64) int64 { return max(leastRoom, memory.Engine(there)/3) } //nolint:mnd // renders and what is kept have the rest

func newRoom(l Limits) *room {
	return &room{most: l.InUse, patience: l.Time, of: map[string]int64{}}
}

// use is somebody's use of manifests, of one application after the other. It is of
// one goroutine.
type use struct {
	project, destination string

	room *room // nil: nothing is taken
	has  int64
}

type useKey struct{}

// InUse returns a context whose manifests have room among all that are in use,
// until end is called: when none of them is kept any more. Who gets manifests by it
// waits where there is no room, holding none. Those of other contexts need none.
func InUse(ctx context.Context, project, destination string) (_ context.Context, end func()) {
	u := &use{project: project, destination: destination}
	return context.WithValue(ctx, useKey{}, u), u.end
}

func useOf(ctx context.Context) *use {
	u, _ := ctx.Value(useKey{}).(*use)
	return u
}

// end gives back what was taken.
func (u *use) end() {
	if u.room != nil {
		u.room.give(u, u.has)
	}
	u.has = 0
}

// took notes what was taken.
func (u *use) took(r *room, bytes int64) { u.room, u.has = r, u.has+bytes }

// lacks is what manifests of so many bytes need beside what was taken already.
func (u *use) lacks(bytes int64) (lacks int64, first bool) {
	if u == nil || bytes <= smallUse {
		return 0, false
	}
	return max(0, bytes-u.has), u.has == 0
}

// try takes room for manifests, if there is some. Who has some already gets more at
// once: nobody waits for those who wait for them.
func (r *room) try(ctx context.Context, bytes int64) bool {
	u := useOf(ctx)
	bytes, first := u.lacks(bytes)
	if bytes == 0 {
		return true
	}
	r.mu.Lock()
	fits := !first || len(r.waiting) == 0 && r.fits(u, bytes)
	if fits {
		r.count(u, bytes)
	}
	r.mu.Unlock()
	if fits {
		u.took(r, bytes)
	}
	return fits
}

// wait waits for room for manifests of so many bytes, none of which is kept
// meanwhile.
func (r *room) wait(ctx context.Context, bytes int64) error {
	_, err := seat.Away(ctx, "", func(ctx context.Context) (struct{}, error) { return struct{}{}, r.queue(ctx, bytes) })
	return err
}

func (r *room) queue(ctx context.Context, bytes int64) error {
	g := &guest{use: useOf(ctx), bytes: bytes, given: make(chan struct{})}
	limited, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	r.mu.Lock()
	r.waiting = append(r.waiting, g)
	r.grant()
	r.mu.Unlock()
	select {
	case <-g.given:
		g.use.took(r, bytes)
		return nil
	case <-limited.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.waiting, g)
	if i < 0 {
		g.use.took(r, bytes)
		return nil // at the same moment
	}
	r.waiting = slices.Delete(r.waiting, i, i+1)
	r.grant() // it may have been what the others waited behind
	if err := ctx.Err(); err != nil {
		return err
	}
	return gitops.Problemf(gitops.Unreachable, "cannot use the manifests of the application, which take %d MiB: other large ones took the memory for %s", bytes>>20, r.patience).
		Do("see which applications of project " + g.use.project + " have many manifests: the engine tries again by itself")
}

func (r *room) give(u *use, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(u, -bytes)
	r.grant()
}

// shares are the accounts of a use, and what each may have.
func (r *room) shares(u *use) map[string]int64 {
	return map[string]int64{u.project: r.most / 4 * 3, u.project + "\n" + u.destination: r.most / 2} //nolint:mnd // three quarters, and half
}

func (r *room) count(u *use, bytes int64) {
	r.held += bytes
	for account := range r.shares(u) {
		if r.of[account] += bytes; r.of[account] == 0 {
			delete(r.of, account)
		}
	}
}

// fits tells whether there is room. What is larger than all there is has it where
// nothing else is in use.
func (r *room) fits(u *use, bytes int64) bool {
	return r.may(u, bytes) && (r.held == 0 || r.held+bytes <= r.most)
}

// may tells whether one may have so much more, once there is place for it.
func (r *room) may(u *use, bytes int64) bool {
	for account, most := range r.shares(u) {
		if has := r.of[account]; has > 0 && has+bytes > most {
			return false
		}
	}
	return true
}

// grant gives room to those who wait, as long as there is some for the next. Nobody
// goes past who is next: small ones would keep a large one waiting. The lock is held.
func (r *room) grant() {
	for {
		i := r.next()
		if i < 0 || !r.fits(r.waiting[i].use, r.waiting[i].bytes) {
			return
		}
		g := r.waiting[i]
		r.waiting = slices.Delete(r.waiting, i, i+1)
		r.count(g.use, g.bytes)
		close(g.given)
	}
}

// next is the first one of the project that has the least, of those that may have
// more; -1 where nobody may.
func (r *room) next() int {
	best := -1
	for i, g := range r.waiting {
		if r.may(g.use, g.bytes) && (best < 0 || r.of[g.use.project] < r.of[r.waiting[best].use.project]) {
			best = i
		}
	}
	return best
}
