package api

import (
	"context"
	"errors"

	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// errUnmade is of a turn whose maker panicked.
var errUnmade = errors.New("the answer was not made")

// moment is what pages of the whole fleet are made of.
type moment struct {
	rows     *view.State
	clusters clusters.Moment
	order    string // of promotion, as it is written
}

func (s *server) moment() moment {
	m := moment{rows: s.Index.Now(), clusters: s.steady.Of(s.Clusters())}
	if s.Promotion != nil {
		m.order = s.Promotion()
	}
	return m
}

// outlook is a page of the fleet as somebody sees it at a moment.
type outlook[V any] struct {
	// alike is the key of all that it is made of, but of the rows only which
	// ones they are; key is that of all.
	alike, key string
	write      func() (V, error)
}

// shown is a page that was made.
type shown[V any] struct {
	at   moment
	key  string
	made V
}

// latest are pages as they are now, or came to be since they were asked for. While
// Applications change they are others at each moment, and take long to make: those
// who see alike share those that are made. What they are made of is in memory: who
// has to be asked for more is asked by each for themselves, and not by one for all.
type latest[V any] struct {
	known *kept[V] // by their keys
	turns *turns[shown[V]]
}

func newLatest[V any](known *kept[V]) latest[V] { return latest[V]{known, newTurns[shown[V]]()} }

func (l *latest[V]) of(ctx context.Context, moments func() moment, see func(context.Context, moment) outlook[V]) (V, error) {
	first := see(ctx, moments())
	if known, ok := l.known.known.Get(first.key); ok {
		return known, nil
	}
	out, own, err := l.turns.take(first.alike, func() (shown[V], error) {
		at := moments()
		now := see(ctx, at)
		made, err := now.write()
		return shown[V]{at, now.key, made}, err
	})
	if own {
		return out.made, err
	}
	if err != nil { // somebody else's, who has gone perhaps
		return first.write()
	}
	// Who saw alike before may not see alike what has come since.
	if again := see(ctx, out.at); again.key != out.key {
		return again.write()
	}
	return out.made, nil
}
