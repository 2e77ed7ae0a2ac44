package source

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// What a person has hosts asked for who merely looks: so much at once, and then
// one in a while. A fetch is a process of git, and costs more.
const (
	glanceBurst = 500
	glanceEvery = 100 * time.Millisecond
	fetchCost   = 20
)

// glance answers a person who looks at something. What nobody asks for is neither
// kept nor looked up again, and is on their own account: whoever may read an
// application could have whatever revision looked for at the cost of its project.
func (p *repo) glance(ctx context.Context, by asked, w want, person string) (*gitops.Snapshot, error) {
	if snap, ok, err := p.remembered(by.project, w); ok {
		return snap, err
	}
	p.looking.Add(1)
	defer p.looking.Add(-1)
	seek := func(ctx context.Context) (*gitops.Snapshot, error) {
		v, err := p.latest(ctx, by.project)
		if err != nil {
			return nil, err
		}
		if p.isWanted(w) {
			return p.answer(ctx, v, w)
		}
		return v.snapshot(ctx, w, p.ofPerson(person))
	}
	if p.origin.local() {
		return seek(ctx)
	}
	return seat.Away(ctx, p.host(), seek)
}

// isWanted reports whether somebody asks for it who needs it.
func (p *repo) isWanted(w want) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answers[w] != nil
}

// ofPerson is the account of a person. No project is called as it is.
func (p *repo) ofPerson(person string) account {
	pace := p.registry.gaits.of(person, p.registry.now())
	return account{repo: p, projects: slots.Of("\x00person\x00" + person), pace: func(ctx context.Context, cost int) error {
		if err := pace.WaitN(ctx, cost); err != nil && ctx.Err() == nil {
			return gitops.Problemf(gitops.Unreachable, "it is not looked for now: you look at more than hosts are asked for at a time").Do("wait a moment")
		}
		return ctx.Err()
	}}
}

// gaits are the paces of people.
type gaits struct {
	mu  sync.Mutex
	all map[string]*rate.Limiter
}

// fewGaits is how many people are remembered without looking for those who rest.
const fewGaits = 256

func (g *gaits) of(person string, now time.Time) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.all[person]; l != nil {
		return l
	}
	if g.all == nil {
		g.all = map[string]*rate.Limiter{}
	}
	if len(g.all) >= fewGaits {
		for who, l := range g.all {
			if l.TokensAt(now) >= glanceBurst {
				delete(g.all, who)
			}
		}
	}
	l := rate.NewLimiter(rate.Every(glanceEvery), glanceBurst)
	g.all[person] = l
	return l
}
