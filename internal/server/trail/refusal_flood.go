package trail

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// How many refusals have an entry each, and how many of what is fleeting: of a
// network that nobody is known by, of somebody who is known, and of all such
// networks together. What is beyond is counted, and told of once a minute.
const (
	strangerEvery, strangerBurst   = 30 * time.Second, 10
	knownEvery, knownBurst         = time.Second, 200
	strangersEvery, strangersBurst = time.Second, 200

	countEvery = time.Minute
	// senders bounds the networks of strangers that are remembered, further ones
	// are one together; people bounds who is known.
	senders = 1024
	people  = 4096
)

const others = "others"

// several is who tried, and from where, when one entry stands for more than one.
const several = "(several)"

// fleeting are verbs that anybody who may read can repeat without end, and that
// change nothing which lasts.
var fleeting = map[string]bool{"cancel": true, "refresh": true, "sign-out": true, "test": true}

// flood bounds how much is told of those who try what they may not, and of what
// is fleeting. Strangers and people are apart: however many networks strangers
// come from, they hide nobody who is known.
type flood struct {
	mu                sync.Mutex
	people, strangers map[string]*sender
	limit             *rate.Limiter // of all strangers
	// gone are counts of people who had to be forgotten.
	gone []audit.Entry
}

type sender struct {
	limit *rate.Limiter
	// count are those that were not told of, last the latest of them.
	count int64
	last  audit.Entry
	seen  time.Time
	// whos and froms: they were tried by more than one, and from more than one network.
	whos, froms bool
}

func newFlood() *flood {
	return &flood{
		people: map[string]*sender{}, strangers: map[string]*sender{},
		limit: rate.NewLimiter(rate.Every(strangersEvery), strangersBurst),
	}
}

// admit reports whether an entry of somebody is added. One that is not is counted.
func (f *flood) admit(u *auth.User, e *audit.Entry) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	verb := ""
	if e.Outcome == audit.Allowed {
		verb = " " + e.Verb // must not use up what there is for refusals
	}
	// Whom somebody says they are, who could not prove it, is no name to go by.
	known := u != nil && e.Verb != "sign-in"
	var s *sender
	if known {
		s = f.person(u.Person() + verb)
	} else {
		s = f.stranger(origin.Network(e.From.Address) + verb)
	}
	s.seen = time.Now()
	if s.limit.Allow() && (known || f.limit.Allow()) {
		return true
	}
	s.add(e)
	return false
}

// add counts one that is not told of. It is kept within the bounds of an entry: what
// is sent is as long as its sender likes.
func (s *sender) add(e *audit.Entry) {
	last := e.Bounded()
	if len(last.Changes) > 0 {
		if condensed, err := last.Condensed(); err == nil { // texts always can be encoded
			last = condensed
		}
	}
	if s.count > 0 {
		s.whos = s.whos || s.last.Who.Name != last.Who.Name
		s.froms = s.froms || origin.Network(s.last.From.Address) != origin.Network(last.From.Address)
	}
	s.count, s.last = s.count+1, last
}

// entry takes what was counted; false for nothing. It names nobody and no network
// for what was tried by others as well.
func (s *sender) entry() (audit.Entry, bool) {
	if s.count == 0 {
		return audit.Entry{}, false
	}
	e := s.last
	e.Count = s.count
	if s.whos {
		e.Who = audit.Who{Name: several, Via: e.Who.Via}
	}
	if s.froms {
		e.From = audit.Origin{Address: several}
	}
	s.count, s.whos, s.froms = 0, false, false
	return e, true
}

// person is somebody who is known. Where they are too many, who has been quiet
// for longest is forgotten, and what was counted of them is told.
func (f *flood) person(name string) *sender {
	if s := f.people[name]; s != nil {
		return s
	}
	if len(f.people) >= people {
		f.forget()
	}
	s := &sender{limit: rate.NewLimiter(rate.Every(knownEvery), knownBurst)}
	f.people[name] = s
	return s
}

func (f *flood) forget() {
	quiet := ""
	for name, s := range f.people {
		if quiet == "" || s.seen.Before(f.people[quiet].seen) {
			quiet = name
		}
	}
	if e, ok := f.people[quiet].entry(); ok {
		f.gone = append(f.gone, e)
	}
	delete(f.people, quiet)
}

// stranger is a network that nobody is known by.
func (f *flood) stranger(network string) *sender {
	if f.strangers[network] == nil && len(f.strangers) >= senders {
		network = others
	}
	if s := f.strangers[network]; s != nil {
		return s
	}
	s := &sender{limit: rate.NewLimiter(rate.Every(strangerEvery), strangerBurst)}
	f.strangers[network] = s
	return s
}

// counted takes what was not told of, and forgets who has become quiet: their
// limit would be as new.
func (f *flood) counted() []audit.Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.gone
	f.gone = nil
	for _, all := range []map[string]*sender{f.people, f.strangers} {
		for name, s := range all {
			if e, ok := s.entry(); ok {
				out = append(out, e)
			}
			if time.Since(s.seen) > strangerBurst*strangerEvery {
				delete(all, name)
			}
		}
	}
	return out
}

// Run tells of what was counted until ctx ends, and then once more.
func (t *Trail) Run(ctx context.Context) {
	if t == nil {
		return
	}
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.tellCounted(context.WithoutCancel(ctx))
			return
		case <-tick.C:
			t.tellCounted(ctx)
		}
	}
}

func (t *Trail) tellCounted(ctx context.Context) {
	for _, e := range t.flood.counted() {
		if _, err := t.keeper.Append(ctx, &e); err != nil {
			t.log.WarnContext(ctx, "attempts are not in the audit yet", "count", e.Count, "from", e.From.Address, "who", e.Who.Name, "error", err)
			t.keeper.Note(&e)
		}
	}
}
