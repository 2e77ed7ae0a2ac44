package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Entries go some at a time: each time leaves a checkpoint behind.
const (
	auditSlack = 30 // a thirtieth of the age may pass before the old ones go
	auditRoom  = 10 // a tenth of the bytes is made free
)

// PruneAudit deletes entries beyond the limits: those that are too old, then
// those of who has most, and the oldest where that is not enough. What goes is
// named, with the hash of its last, in an entry that is added before.
func (s *Store) PruneAudit(ctx context.Context) error {
	for _, drop := range []func(context.Context) error{s.dropAged, s.dropFloods, s.dropOldest} {
		if err := drop(ctx); err != nil {
			return err
		}
	}
	return nil
}

// dropAged deletes entries that are beyond the age. What goes is found by reading
// all of them, and nobody who writes waits for that: meanwhile others come at the
// other end.
func (s *Store) dropAged(ctx context.Context) error {
	age, now := s.options.Limits.AuditAge, s.options.Now()
	oldest, err := s.auditSum(ctx, `SELECT COALESCE(MIN(at), ?) FROM (SELECT at FROM audit ORDER BY sequence LIMIT 1) AS first`, now.UnixMilli())
	if err != nil || oldest >= now.Add(-age-age/auditSlack).UnixMilli() {
		return err
	}
	before := now.Add(-age).UnixMilli()
	through, err := s.auditSum(ctx, `SELECT COALESCE(MAX(sequence), 0) FROM audit WHERE at < ? AND sequence < COALESCE((SELECT MIN(sequence) FROM audit WHERE at >= ?), (SELECT MAX(sequence) + 1 FROM audit))`, before, before)
	if err != nil {
		return err
	}
	return s.cutAt(ctx, through, "they were older than "+age.String())
}

// dropOldest deletes the oldest entries where all are too much.
func (s *Store) dropOldest(ctx context.Context) error {
	size, err := s.auditSize(ctx)
	most := s.options.Limits.AuditBytes
	if err != nil || size <= most {
		return err
	}
	through, err := s.auditSum(ctx, `SELECT COALESCE(MIN(sequence), 0) FROM (SELECT sequence, SUM(bytes) OVER (ORDER BY sequence) AS gone FROM audit) AS sums WHERE gone >= ?`, size-most+most/auditRoom)
	if err != nil {
		return err
	}
	return s.cutAt(ctx, through, fmt.Sprintf("all were more than %d bytes", most))
}

func (s *Store) auditSize(ctx context.Context) (int64, error) {
	return s.auditSum(ctx, `SELECT COALESCE(SUM(bytes), 0) FROM audit`)
}

// auditSum reads a number; 0 where there is no row.
func (s *Store) auditSum(ctx context.Context, query string, args ...any) (int64, error) {
	db, err := s.writing(ctx)
	if err != nil {
		return 0, err
	}
	var n int64
	return n, none(db.QueryRowContext(ctx, s.place.bind(query), args...).Scan(&n))
}

// none takes that there is no row for no error.
func none(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return fmt.Errorf("cannot measure the audit: %w", err)
}

// cutAt deletes the beginning of the chain; 0 for nothing.
func (s *Store) cutAt(ctx context.Context, through int64, why string) error {
	if through == 0 {
		return nil
	}
	return s.atEnd(ctx, func(t *transaction, last int64, hash string) error { return s.cut(ctx, t, through, why, last, hash) })
}

// cut adds the checkpoint, and deletes.
func (s *Store) cut(ctx context.Context, t *transaction, through int64, why string, last int64, hash string) error {
	var count, there int64
	if err := t.scan(ctx, &there, `SELECT COUNT(*) FROM audit WHERE sequence = ?`, through); err != nil || there == 0 {
		return none(err) // another engine was faster
	}
	if err := t.scan(ctx, &count, `SELECT COUNT(*) FROM audit WHERE sequence <= ?`, through); err != nil {
		return none(err)
	}
	point, err := s.before(ctx, t, through, last, hash)
	if err != nil {
		return err
	}
	point.Count = count
	_, err = s.link(ctx, t, s.pruning(why, point, nil), last, hash)
	if err == nil {
		err = t.exec(ctx, `DELETE FROM audit WHERE sequence <= ?`, through)
	}
	return err
}

// before is the checkpoint for the first entry that stays: where some after
// through are gone from the middle, those are before it as well.
func (s *Store) before(ctx context.Context, t *transaction, through, last int64, hash string) (*audit.Checkpoint, error) {
	var body []byte
	err := t.scan(ctx, &body, `SELECT body FROM audit WHERE sequence > ? ORDER BY sequence LIMIT 1`, through)
	if errors.Is(err, sql.ErrNoRows) {
		return &audit.Checkpoint{Through: last, Hash: hash}, nil
	}
	if err != nil {
		return nil, none(err)
	}
	first, err := audit.Parse(body, "")
	if err != nil {
		return nil, fmt.Errorf("an entry of the audit cannot be read: %w; see causeway audit verify", err)
	}
	return &audit.Checkpoint{Through: first.Sequence - 1, Hash: first.Previous}, nil
}

// pruning is the entry that vouches for what goes.
func (s *Store) pruning(why string, point *audit.Checkpoint, gaps []audit.Gap) *audit.Entry {
	return &audit.Entry{
		Time: s.options.Now(), Who: audit.Who{Name: audit.Engine}, Verb: "prune", Resource: "audit", Outcome: audit.Allowed,
		Reason: why, Checkpoint: point, Gaps: gaps,
	}
}
