package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// How many questions of people are answered at a time, of all and of one person,
// and how long one waits and is worked on. There are more connections than that:
// a sync that goes back to another one waits for nobody who reads.
const (
	asking     = connections - 1
	askingEach = 2
	answerTime = 10 * time.Second
)

// ErrBusy is that a question was not answered in time: others of the same person
// were before it, or it goes through too much.
var ErrBusy = errors.New("the history has not answered in time")

// askers are the places of those who ask. A nil whose tells of nobody: all is asked
// by the engine, or by a command.
type askers struct {
	whose  func(context.Context) string
	places *slots.Slots
}

func newAskers(whose func(context.Context) string) askers {
	return askers{whose, slots.Shares(asking, askingEach)}
}

// take waits for the place of who asks. End gives it back.
func (a *askers) take(ctx context.Context) (end func(), err error) {
	whose := ""
	if a.whose != nil {
		whose = a.whose(ctx)
	}
	if whose == "" {
		return func() {}, nil
	}
	if whose, err = a.places.Take(ctx, slots.Of(whose)); err != nil {
		return nil, err
	}
	return func() { a.places.Give(whose) }, nil
}

// ask answers a question in its turn, and not for longer than that may take. The
// error is a Problem.
func (s *Store) ask(ctx context.Context, do func(ctx context.Context, db *sql.DB) error) error {
	bounded, cancel := context.WithTimeout(ctx, s.options.AnswerWithin)
	defer cancel()
	err := s.inTurn(bounded, do)
	var p *gitops.Problem
	switch {
	case err == nil:
		return nil
	case errors.Is(bounded.Err(), context.DeadlineExceeded):
		return gitops.Problemf(gitops.Unreachable, "%w", ErrBusy).Do("ask for less at a time, and try again")
	case errors.As(err, &p):
		return err
	}
	return s.away(err)
}

// inTurn waits for the turn of who asks.
func (s *Store) inTurn(ctx context.Context, do func(ctx context.Context, db *sql.DB) error) error {
	end, err := s.askers.take(ctx)
	if err != nil {
		return err
	}
	defer end()
	db, err := s.connected(ctx)
	if err != nil {
		return err
	}
	return do(ctx, db)
}
