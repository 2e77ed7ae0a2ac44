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
// and how long one waits and is worked on; those to the audit, which few may ask, go
// through more. What the engine asks itself is none of them, and has a connection of
// its own, and more time: a sync that goes back to another one waits for nobody who
// reads, and not for ever for a database that does not answer.
const (
	asking     = connections
	askingEach = 2
	answerTime = 10 * time.Second
	auditTimes = 6
	ownTimes   = 6
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

// of is the person who asks; empty for the engine and for commands.
func (a *askers) of(ctx context.Context) string {
	if a.whose == nil {
		return ""
	}
	return a.whose(ctx)
}

// take waits for the place of who asks. End gives it back.
func (a *askers) take(ctx context.Context) (end func(), err error) {
	whose := a.of(ctx)
	if whose == "" {
		return func() {}, nil
	}
	if whose, err = a.places.Take(ctx, slots.Of(whose)); err != nil {
		return nil, err
	}
	return func() { a.places.Give(whose) }, nil
}

// within is the context of a question that may take so long where somebody asks it. A
// command has all the time that it takes.
func (a *askers) within(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if a.whose == nil {
		return context.WithCancel(ctx)
	}
	if a.of(ctx) == "" {
		most *= ownTimes
	}
	return context.WithTimeout(ctx, most)
}

// ask answers a question in its turn, not for longer than that may take. The error is
// a Problem.
func (s *Store) ask(ctx context.Context, do func(ctx context.Context, db *sql.DB) error) error {
	return s.askWithin(ctx, s.options.AnswerWithin, do)
}

func (s *Store) askWithin(ctx context.Context, most time.Duration, do func(ctx context.Context, db *sql.DB) error) error {
	ctx, cancel := s.askers.within(ctx, most)
	defer cancel()
	err := s.inTurn(ctx, do)
	var p *gitops.Problem
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return gitops.Problemf(gitops.Unreachable, "%w", ErrBusy).Do("ask for less at a time, and try again; where that is of no use, see that the database runs")
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
	db, err := s.answering(ctx)
	if err != nil {
		return err
	}
	return do(ctx, db)
}

// answering returns the database for who asks.
func (s *Store) answering(ctx context.Context) (*sql.DB, error) {
	if s.askers.of(ctx) == "" {
		return s.besides(ctx, &s.own, s.place.single)
	}
	return s.connected(ctx)
}
