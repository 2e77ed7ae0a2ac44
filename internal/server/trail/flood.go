package trail

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// How many refusals have an entry each, and how many of what is fleeting: of an
// address that nobody is known by, of somebody who is known, and of all
// addresses together. What is beyond is counted, and told of once a minute.
const (
	strangerEvery, strangerBurst   = 30 * time.Second, 10
	knownEvery, knownBurst         = time.Second, 200
	strangersEvery, strangersBurst = time.Second, 200

	countEvery = time.Minute
	// senders bounds what is remembered; further ones are one together.
	senders = 1024
)

const others = "others"

// fleeting are verbs that anybody who may read can repeat without end, and that
// change nothing which lasts.
var fleeting = map[string]bool{"refresh": true, "sign-out": true, "test": true}

// flood bounds how much is told of those who try what they may not, and of what
// is fleeting.
type flood struct {
	mu        sync.Mutex
	all       map[string]*sender
	strangers *rate.Limiter
}

type sender struct {
	limit *rate.Limiter
	// count are those that were not told of, last the latest of them.
	count int64
	last  audit.Entry
	seen  time.Time
}

func newFlood() *flood {
	return &flood{all: map[string]*sender{}, strangers: rate.NewLimiter(rate.Every(strangersEvery), strangersBurst)}
}

// admit tells whether an entry of somebody is added. One that is not is counted.
func (f *flood) admit(u *auth.User, e *audit.Entry) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Whom somebody says they are, who could not prove it, is no name to go by.
	known := u != nil && e.Verb != "sign-in"
	name := "from " + e.From.Address
	if known {
		name = "who " + u.Person()
	}
	if e.Outcome == audit.Allowed {
		name += " " + e.Verb // must not use up what there is for refusals
	}
	s := f.sender(name, known)
	s.seen = time.Now()
	if s.limit.Allow() && (known || f.strangers.Allow()) {
		return true
	}
	s.count, s.last = s.count+1, *e
	return false
}

func (f *flood) sender(name string, known bool) *sender {
	if s := f.all[name]; s != nil {
		return s
	}
	if len(f.all) >= senders {
		name = others
		if s := f.all[name]; s != nil {
			return s
		}
	}
	s := &sender{limit: rate.NewLimiter(rate.Every(strangerEvery), strangerBurst)}
	if known {
		s.limit = rate.NewLimiter(rate.Every(knownEvery), knownBurst)
	}
	f.all[name] = s
	return s
}

// counted takes what was not told of, and forgets who has become quiet: their
// limit would be as new.
func (f *flood) counted() []audit.Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []audit.Entry
	for name, s := range f.all {
		if s.count > 0 {
			e := s.last
			e.Count = s.count
			out = append(out, e)
			s.count = 0
		}
		if time.Since(s.seen) > strangerBurst*strangerEvery {
			delete(f.all, name)
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
