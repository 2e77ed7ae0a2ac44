package serve

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Times of the facts of one cluster: where its nodes cannot be watched, to ask for
// them is to list them.
const (
	// factsFor is how long they are believed.
	factsFor = 20 * time.Second
	// factsKept is how long they are told while new ones are asked for: who asks again
	// and again, as a page does, is told all the time what a slow cluster said last.
	factsKept = 90 * time.Second
	// factsWait is how long somebody waits for them; the question goes on.
	factsWait = 3 * time.Second
)

// facts asks clusters what they tell of themselves, each for all who look at a time once.
type facts struct {
	ask    func(secret, server string) *api.BridgeFacts
	asking singleflight.Group

	mu    sync.Mutex
	known map[string]keptFacts // by the Secret and its server
}

type keptFacts struct {
	of *api.BridgeFacts
	at time.Time
}

// newFacts makes one that works as long as ctx lasts.
func newFacts(ctx context.Context, ask func(ctx context.Context, secret, server string) ([]bridge.Fact, error)) *facts {
	return &facts{known: map[string]keptFacts{}, ask: func(secret, server string) *api.BridgeFacts {
		all, err := ask(ctx, secret, server)
		out := &api.BridgeFacts{Facts: make([]api.BridgeFact, 0, len(all)), Untold: untold(err)}
		for _, f := range all {
			out.Facts = append(out.Facts, api.BridgeFact{Name: f.Name, Value: f.Value, Type: string(f.Type), Source: f.Source})
		}
		return out
	}}
}

// Facts implements api.Bridger.
func (b *bridger) Facts(ctx context.Context, secret, server string) *api.BridgeFacts {
	return b.facts.of(ctx, secret, server)
}

func (f *facts) of(ctx context.Context, secret, server string) *api.BridgeFacts {
	id := secret + " " + server
	known, fresh := f.kept(id)
	if fresh {
		return known
	}
	made := f.asking.DoChan(id, func() (any, error) {
		var out *api.BridgeFacts
		if err := crew.Safely(func() error { out = f.ask(secret, server); return nil }); err != nil {
			out = &api.BridgeFacts{Facts: []api.BridgeFact{}, Untold: untold(err)}
		}
		f.keep(id, out)
		return out, nil
	})
	if known != nil {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, factsWait)
	defer cancel()
	select {
	case <-ctx.Done():
		return &api.BridgeFacts{Facts: []api.BridgeFact{}, Untold: untold(ctx.Err())}
	case m := <-made:
		out, _ := m.Val.(*api.BridgeFacts)
		return out
	}
}

// kept is what was told last, unless that is too long ago, and whether it is believed
// as it is.
func (f *facts) kept(id string) (of *api.BridgeFacts, fresh bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.known[id]
	age := time.Since(k.at)
	if age >= factsKept {
		return nil, false
	}
	return k.of, age < factsFor
}

// keep also forgets what is not told any more: clusters come and go.
func (f *facts) keep(id string, of *api.BridgeFacts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.known, func(_ string, k keptFacts) bool { return time.Since(k.at) >= factsKept })
	f.known[id] = keptFacts{of, time.Now()}
}

// untold tells people why facts are not known; empty where they are.
func untold(err error) string {
	var p *gitops.Problem
	switch {
	case err == nil:
		return ""
	case errors.As(err, &p):
		return p.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "the cluster has not told it yet"
	}
	return "the cluster could not be asked"
}
