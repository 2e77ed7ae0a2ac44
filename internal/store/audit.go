package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// appendTime bounds how long somebody waits for their entry in the audit.
const appendTime = 10 * time.Second

// Append adds an entry to the audit, and returns it as it is kept. When it has
// returned the entry is on the disk. What cannot be told of is not to be done:
// the error is a Problem that says so.
func (s *Store) Append(ctx context.Context, e *audit.Entry) (*audit.Entry, error) {
	bounded, cancel := context.WithTimeout(ctx, appendTime)
	defer cancel()
	if e.Time.IsZero() {
		e.Time = s.options.Now()
	}
	kept, err := s.append(bounded, e)
	if err != nil {
		s.stats.auditErrors.Add(1)
		s.options.Log.ErrorContext(ctx, "the audit cannot be written", "store", s.Where(), "error", err)
		return nil, gitops.Problemf(gitops.Unreachable, "the audit in %s cannot be written, and nothing is done that it does not tell of", s.Where()).
			Do("see that the database runs and that its disk has room; the engine's log has the cause")
	}
	return kept, nil
}

func (s *Store) append(ctx context.Context, e *audit.Entry) (kept *audit.Entry, err error) {
	err = s.atEnd(ctx, func(t *transaction, last int64, hash string) error {
		kept, err = s.link(ctx, t, e, last, hash)
		return err
	})
	return kept, err
}

// atEnd does something at the end of the chain, while nobody else adds to it.
func (s *Store) atEnd(ctx context.Context, do func(t *transaction, last int64, hash string) error) error {
	db, err := s.strictly(ctx)
	if err != nil {
		return err
	}
	t, err := begin(ctx, db, s.place)
	if err != nil {
		return err
	}
	last, hash, err := s.end(ctx, t)
	if err == nil {
		err = do(t, last, hash)
	}
	if err != nil {
		return errors.Join(err, t.tx.Rollback())
	}
	if err := t.tx.Commit(); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// strictly returns the database of the audit.
func (s *Store) strictly(ctx context.Context) (*sql.DB, error) {
	return s.besides(ctx, &s.strict, s.place.strict)
}

// end reads the end of the chain and keeps it for this transaction: a
// transaction of SQLite has the file for itself, PostgreSQL locks the row.
func (s *Store) end(ctx context.Context, t *transaction) (last int64, hash string, err error) {
	query := `SELECT sequence, hash FROM audit_end WHERE id = 1`
	if s.place.postgres {
		// A server may be told to answer before it has written.
		const sure = `SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)`
		if _, err := t.tx.ExecContext(ctx, sure); err != nil {
			return 0, "", fmt.Errorf("cannot write: %w", err)
		}
		query += ` FOR UPDATE`
	}
	if err := t.tx.QueryRowContext(ctx, query).Scan(&last, &hash); err != nil {
		return 0, "", fmt.Errorf("cannot read the end of the audit: %w", err)
	}
	return last, hash, nil
}

// link adds one entry at the end.
func (s *Store) link(ctx context.Context, t *transaction, e *audit.Entry, last int64, hash string) (*audit.Entry, error) {
	out, text, err := audit.Link(e, last, hash)
	if err != nil {
		return nil, err
	}
	c := columnsOf(&out)
	err = t.exec(ctx, `INSERT INTO audit (sequence, at, who, verb, outcome, project, namespace, name, words, account, bytes, hash, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		out.Sequence, c.at, c.who, c.verb, c.outcome, c.project, c.namespace, c.name, c.words, c.account, len(text), out.Hash, text)
	if err == nil {
		err = t.exec(ctx, `UPDATE audit_end SET sequence = ?, hash = ? WHERE id = 1`, out.Sequence, out.Hash)
	}
	return &out, err
}

// columns are what is searched, and what pruning goes by.
type columns struct {
	at                                                           int64
	who, verb, outcome, project, namespace, name, words, account string
}

func columnsOf(e *audit.Entry) columns {
	words := []string{
		e.Who.Name, e.Who.Via, e.Verb, e.Resource, e.Project, e.Namespace, e.Name, e.Cluster, e.Reason, e.Message, e.From.Address, e.From.Agent, e.Operation, e.Trace,
	}
	for _, c := range e.Changes {
		words = append(words, c.Path)
	}
	if e.Who.Subject != "" { // entries of before have none, and their words are compared
		words = append(words, e.Who.Subject)
	}
	return columns{
		e.Time.UnixMilli(), e.Who.Name, e.Verb, string(e.Outcome), e.Project, e.Namespace, e.Name, strings.ToLower(strings.Join(words, " ")), e.Account(),
	}
}

// Bounds of entries that wait: of what happened by itself, and of what people
// tried while it could not be written, which leaves the other half to the engine.
const (
	notedItems  = 1024
	notedPeople = notedItems / 2
)

// Note takes an entry of what happened by itself: nobody waits for it. One that
// cannot be kept is in the log.
func (s *Store) Note(e *audit.Entry) {
	if e.Time.IsZero() {
		e.Time = s.options.Now()
	}
	if err := s.queueNote(e); err != nil {
		s.unkept(e, err)
	}
}

var (
	errTooMany = errors.New("too many wait")
	errEnded   = errors.New("the engine has stopped writing")
)

func (s *Store) queueNote(e *audit.Entry) error {
	s.notes.Lock()
	defer s.notes.Unlock()
	if s.ended {
		return errEnded
	}
	if e.Who.Name != audit.Engine && len(s.noted) >= notedPeople {
		return errTooMany
	}
	kept := e.Bounded() // what it comes from is as long as its sender likes
	select {
	case s.noted <- &kept:
		return nil
	default:
		return errTooMany
	}
}

func (s *Store) unkept(e *audit.Entry, err error) {
	s.stats.auditLost.Add(1)
	out, text, _ := audit.Link(e, 0, "")
	s.options.Log.Error("the audit lacks an entry", "verb", out.Verb, "entry", string(text), "error", err)
}

// writeNotes writes what Note takes, until ctx ends and nothing is left.
func (s *Store) writeNotes(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			s.lastNotes(ctx, s.lastNote())
			return
		case e := <-s.noted:
			if !s.writeNote(ctx, e) {
				s.lastNotes(ctx, e)
				return
			}
		}
	}
}

// writeNote tries until it succeeds: others wait in the queue. It gives up when
// ctx ends.
func (s *Store) writeNote(ctx context.Context, e *audit.Entry) bool {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if _, err := s.Append(ctx, e); err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}

// lastNotes tries once more, from e on, while the engine stops. There is one
// deadline for all: who stops the engine does not wait for each.
func (s *Store) lastNotes(ctx context.Context, e *audit.Entry) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.CloseWithin)
	defer cancel()
	for ; e != nil; e = s.lastNote() {
		err := bounded.Err()
		if err == nil {
			_, err = s.append(bounded, e)
		}
		if err != nil {
			s.unkept(e, err)
		}
	}
}

// lastNote takes one that waits. Where none does, it is the end of notes: nil.
func (s *Store) lastNote() *audit.Entry {
	s.notes.Lock()
	defer s.notes.Unlock()
	select {
	case e := <-s.noted:
		return e
	default:
		s.ended = true
		return nil
	}
}
