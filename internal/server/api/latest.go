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
type outlook struct {
	// alike is the key of all that it is made of, but of the rows only which
	// ones they are; key is that of all.
	alike, key string
	write      func() (*text, error)
}

// shown is a page that was made.
type shown struct {
	at   moment
	key  string
	text *text
}

// latest is a page as it is now, or came to be since it was asked for. While
// Applications change it is another one at each moment, and takes long to make:
// those who see alike share those that are made.
func (s *server) latest(ctx context.Context, see func(context.Context, moment) outlook) (*text, error) {
	first := see(ctx, s.moment())
	if known, ok := s.texts.known.Get(first.key); ok {
		return known, nil
	}
	out, own, err := s.turns.take(first.alike, func() (shown, error) {
		at := s.moment()
		now := see(ctx, at)
		made, err := now.write()
		return shown{at, now.key, made}, err
	})
	if own {
		return out.text, err
	}
	if err != nil { // somebody else's, who has gone perhaps
		return first.write()
	}
	// Who saw alike before may not see alike what has come since.
	if again := see(ctx, out.at); again.key != out.key {
		return again.write()
	}
	return out.text, nil
}
