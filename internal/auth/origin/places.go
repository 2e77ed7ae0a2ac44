package origin

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Share says how many places there are, and who has how many of them.
type Share struct {
	// All are those of everybody together.
	All int
	// Site and Network are those of one, at most.
	Site, Network int
	// Kept are those of All that only networks have from which somebody came in
	// before: strangers from however many networks do not keep them out.
	Kept int
}

// ErrFull tells that others of the same network or site, or all together, have
// the places.
var ErrFull = errors.New("too many come from there at a time")

// waitingOf is how many of one site wait for a place: more would be work for
// who gives places out.
const waitingOf = 256

// Places are shared by networks. They are safe for concurrent use.
type Places struct {
	share Share
	known *Known

	mu             sync.Mutex
	all, strangers int
	networks       map[string]int
	sites          map[string]int
	// waiting come in the order in which they came; queued are they by site.
	waiting []*turn
	queued  map[string]int
}

// sender is from where somebody comes.
type sender struct {
	network, site string
	known         bool
}

type turn struct {
	sender

	granted chan struct{}
}

// NewPlaces makes places that are shared like this. Known may be nil.
func NewPlaces(share Share, known *Known) *Places {
	return &Places{share: share, known: known, networks: map[string]int{}, sites: map[string]int{}, queued: map[string]int{}}
}

// Try takes a place for a request from an address, where one is free for it.
// Who has one gives it back, once.
func (p *Places) Try(address string) (give func(), ok bool) {
	s := p.sender(address)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fits(s) {
		return nil, false
	}
	p.enter(s)
	return p.giver(s), true
}

// Take waits for a place. The next one goes to a network that is known, and to
// the site and the network that have the fewest. The error is ErrFull, or the
// context's.
func (p *Places) Take(ctx context.Context, address string) (give func(), err error) {
	t := &turn{p.sender(address), make(chan struct{})}
	p.mu.Lock()
	if p.queued[t.site] >= waitingOf {
		p.mu.Unlock()
		return nil, ErrFull
	}
	p.waiting = append(p.waiting, t)
	p.queued[t.site]++
	p.grant()
	p.mu.Unlock()
	select {
	case <-t.granted:
		return p.giver(t.sender), nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, t); i >= 0 {
		p.leave(i)
		return nil, ctx.Err()
	}
	return p.giver(t.sender), nil // at the same moment
}

// Used is how many places are taken.
func (p *Places) Used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

func (p *Places) sender(address string) sender {
	return sender{Network(address), Site(address), p.known.Has(address)}
}

// fits reports whether there is a place for a sender.
func (p *Places) fits(s sender) bool {
	return p.all < p.share.All && p.networks[s.network] < p.share.Network && p.sites[s.site] < p.share.Site &&
		(s.known || p.strangers < p.share.All-p.share.Kept)
}

func (p *Places) enter(s sender) {
	p.all++
	p.networks[s.network]++
	p.sites[s.site]++
	if !s.known {
		p.strangers++
	}
}

// giver gives a place back that a sender has.
func (p *Places) giver(s sender) func() {
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		less(p.networks, s.network)
		less(p.sites, s.site)
		if !s.known {
			p.strangers--
		}
		p.grant()
	})
}

// less counts one down, and forgets who has none.
func less(of map[string]int, name string) {
	if of[name]--; of[name] <= 0 {
		delete(of, name)
	}
}

// leave takes one off those who wait.
func (p *Places) leave(i int) *turn {
	t := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	less(p.queued, t.site)
	return t
}

// grant gives free places to those who wait.
func (p *Places) grant() {
	for i := p.next(); i >= 0; i = p.next() {
		t := p.leave(i)
		p.enter(t.sender)
		close(t.granted)
	}
}

// next is the one that comes next of those who wait; -1 when there is a place
// for none of them.
func (p *Places) next() int {
	next := -1
	if p.all >= p.share.All {
		return next
	}
	for i, t := range p.waiting {
		if p.fits(t.sender) && (next < 0 || p.before(t.sender, p.waiting[next].sender)) {
			next = i
		}
	}
	return next
}

// before reports whether one comes before another one who came earlier.
func (p *Places) before(a, b sender) bool {
	if a.known != b.known {
		return a.known
	}
	if p.sites[a.site] != p.sites[b.site] {
		return p.sites[a.site] < p.sites[b.site]
	}
	return p.networks[a.network] < p.networks[b.network]
}
