package git

import (
	"context"
	"sync"
	"time"
)

// How long a commit that a repository lacks is not asked for again: as long as it was lacking already, within these
// bounds. No reference has moved meanwhile, but some servers have commits that none of theirs leads to.
const (
	shortestGap = time.Minute
	longestGap  = time.Hour
)

// gaps are what the repository lacks by one look-up: commits that no reference leads to, and that it does not give away.
// All branches and tags are fetched once to find that out, however many commits are asked for.
type gaps struct {
	mu      sync.Mutex
	lacking map[string]gap
	// all tells that all branches and tags were fetched, or else why not and until when that counts.
	all   bool
	err   error
	until time.Time
}

// gap is why a commit is not to be had.
type gap struct {
	err          error
	since, until time.Time
}

// of is why a commit is not asked for; nil where it may be.
func (g *gaps) of(name string, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known := g.lacking[name]; now.Before(known.until) {
		return known.err
	}
	return nil
}

// note remembers that a commit was not to be had.
func (g *gaps) note(name string, err error, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lacking == nil || len(g.lacking) >= knownCommits {
		g.lacking = map[string]gap{}
	}
	known, ok := g.lacking[name]
	if !ok {
		known.since = now
	}
	known.err, known.until = err, now.Add(min(max(now.Sub(known.since), shortestGap), longestGap))
	g.lacking[name] = known
}

// whole tells how the fetch of all branches and tags went; ok is false where it is to be made.
func (g *gaps) whole(now time.Time) (ok bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all || now.Before(g.until), g.err
}

// fetched notes how it went. One that was given up tells nothing.
func (g *gaps) fetched(ctx context.Context, err error, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		return
	}
	g.all, g.err, g.until = err == nil, err, now.Add(shortestGap)
}
