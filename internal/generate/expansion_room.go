package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
)

// Room is where large expansions are, so that all of an engine's together hold
// no more than there is. Those that stay small need none of it. Projects take turns:
// who has many large sets waits for those who have one.
type Room struct {
	mu      sync.Mutex
	free    int64
	held    map[string]int64 // by account
	last    map[string]int   // by account, which of all turns was its last one
	turns   int
	waiting []*turn
	shares  map[string]int64 // by set, with which share it was expanded last
}

// turn is one who waits for room.
type turn struct {
	account string
	bytes   int64
	given   chan struct{}
}

// roomOfAll is what large expansions of one Room hold together, and small what
// each may hold without any of it.
const (
	roomOfAll = 192 << 20
	small     = 1 << 20
	// more is how much larger the next try is.
	more = 16
	// mostAccounts bounds those whose last turns are remembered.
	mostAccounts = 10_000
	// mostShares bounds the sets whose shares are remembered.
	mostShares = 10_000
	// mostLooks are those that wait of an account that is given.
	mostLooks = 8
)

// NewRoom makes the Room of an engine.
func NewRoom() *Room {
	return &Room{free: roomOfAll, held: map[string]int64{}, last: map[string]int{}, shares: map[string]int64{}}
}

// WithRoom has expansions that get large wait for one another. Who is given an
// Expansion releases it.
func WithRoom(r *Room) Option { return func(g *Generator) { g.room = r } }

// WithAccount has expansions take turns in the Room by an account, and not by the
// projects of their sets: who only looks holds up nobody's set.
func WithAccount(name string) Option { return func(g *Generator) { g.account = name } }

// accountOf is who takes a turn for a set. All whose projects are parameters have one.
func (g *Generator) accountOf(set *v1alpha1.ApplicationSet) string {
	project := projectOf(set)
	switch {
	case g.account != "":
		return "account " + g.account
	case project == "":
		return ""
	}
	return "project " + project
}

// projectOf is the project of all that a set makes; empty where that is a parameter.
func projectOf(set *v1alpha1.ApplicationSet) string {
	project := set.Spec.Template.Spec.Project
	if strings.Contains(project, "{{") {
		return ""
	}
	return project
}

// Release gives back the room that an expansion has: the Applications are no
// longer used. It may be called of none, and again.
func (e *Expansion) Release() {
	if e != nil && e.shrink != nil {
		e.shrink(0)
	}
}

// Leave forgets all Applications but those that changes are made of, and gives back
// the room of the others: to write takes as long as the API server does.
func (e *Expansion) Leave(c *Changes) {
	e.Applications, e.Of, e.Params = nil, nil, nil
	if e.shrink != nil {
		e.shrink(int64(weightOf(c.Create) + weightOf(c.Update)))
	}
}

// roomy expands a set in as little room as will do. An expansion that needs more
// than it has lets go of everything, waits for more, and begins anew: none that
// waits holds anything, so those that wait for each other cannot be. It begins with what
// the set needed last.
func (g *Generator) roomy(ctx context.Context, set *v1alpha1.ApplicationSet) (*Expansion, error) {
	most := int64(g.limits.Held)
	if g.room == nil {
		return g.once(ctx, set, most)
	}
	name := g.account + "\x00" + set.Namespace + "/" + set.Name // who only looks may have another fleet
	for share := min(g.room.shareOf(name), most); ; share = min(share*more, most) {
		out, err := g.within(ctx, set, share)
		if err == nil {
			g.room.needs(name, out.peak)
		}
		if !errors.Is(err, errLarge) {
			return out, err
		}
	}
}

// shareOf is what a set is given first.
func (r *Room) shareOf(set string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(small, r.shares[set])
}

// needs notes what a set held, at the most, when it was expanded last.
func (r *Room) needs(set string, bytes int64) {
	share := int64(small)
	for share < bytes {
		share *= more
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if share == small {
		delete(r.shares, set)
		return
	}
	if len(r.shares) >= mostShares {
		clear(r.shares)
	}
	r.shares[set] = share
}

// within expands a set in so much room.
func (g *Generator) within(ctx context.Context, set *v1alpha1.ApplicationSet, share int64) (*Expansion, error) {
	taken := int64(0)
	if share > small {
		taken = min(share, roomOfAll)
	}
	account := g.accountOf(set)
	if g.account != "" && taken > 0 && g.room.isCrowded(account) {
		return &Expansion{}, errCrowded
	}
	if err := g.room.take(ctx, account, taken); err != nil {
		return &Expansion{}, err
	}
	// What a host or a file says may make a library panic: that is the error of this
	// set, and keeps no room from others.
	out := &Expansion{}
	err := crew.Safely(func() (err error) {
		out, err = g.once(ctx, set, share)
		return err
	})
	if err != nil {
		g.room.give(account, taken)
		return out, err
	}
	left := min(taken, planned*out.Held)
	if g.parameters {
		left = taken // these are there as well
	}
	g.room.give(account, taken-left)
	out.shrink = func(to int64) {
		to = min(to, left)
		g.room.give(account, left-to)
		left = to
	}
	return out, nil
}

// errCrowded is told to people: sets wait as long as it takes.
var errCrowded = gitops.Problemf(gitops.Unreachable, "cannot expand: too many look at large ApplicationSets at a time").Do("try again later")

func (r *Room) isCrowded(account string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := 0
	for _, t := range r.waiting {
		if t.account == account {
			waiting++
		}
	}
	return waiting >= mostLooks
}

// planned is how much of the Applications there is when they are compared with
// those that are there: they themselves, and what these are to become.
const planned = 2

func (r *Room) take(ctx context.Context, account string, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	_, err := seat.Away(ctx, "", func(ctx context.Context) (struct{}, error) { return struct{}{}, r.wait(ctx, account, bytes) })
	if err != nil {
		return fmt.Errorf("cannot expand while other large ApplicationSets are expanded: %w", err)
	}
	return nil
}

// wait waits for its turn. The error is the context's.
func (r *Room) wait(ctx context.Context, account string, bytes int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &turn{account, bytes, make(chan struct{})}
	r.mu.Lock()
	r.waiting = append(r.waiting, t)
	r.grant()
	r.mu.Unlock()
	select {
	case <-t.given:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.waiting, t); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		r.grant() // it may have been what the others waited behind
		return ctx.Err()
	}
	return nil // at the same moment
}

func (r *Room) give(account string, bytes int64) {
	if bytes == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += bytes
	if r.held[account] -= bytes; r.held[account] == 0 {
		delete(r.held, account)
	}
	r.grant()
}

// grant gives room to those who wait, as long as there is enough for the next.
// Nobody goes before who is next: what is small would else keep what is large out.
func (r *Room) grant() {
	for len(r.waiting) > 0 {
		i := r.next()
		t := r.waiting[i]
		if t.bytes > r.free {
			return
		}
		r.waiting = slices.Delete(r.waiting, i, i+1)
		r.free -= t.bytes
		r.held[t.account] += t.bytes
		if len(r.last) >= mostAccounts {
			clear(r.last)
		}
		r.turns++
		r.last[t.account] = r.turns
		close(t.given)
	}
}

// next is the first one of the account that holds least; of several, of that whose
// last turn is longest ago.
func (r *Room) next() int {
	best := 0
	for i, t := range r.waiting {
		b := r.waiting[best]
		if cmp.Or(cmp.Compare(r.held[t.account], r.held[b.account]), cmp.Compare(r.last[t.account], r.last[b.account])) < 0 {
			best = i
		}
	}
	return best
}
