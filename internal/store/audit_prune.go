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

// PruneAudit deletes entries beyond the limits, the oldest first. The last that
// goes is named, with its hash, in an entry that is added before.
func (s *Store) PruneAudit(ctx context.Context) error {
	through, why, err := s.beyond(ctx)
	if err != nil || through == 0 {
		return err
	}
	return s.atEnd(ctx, func(t *transaction, last int64, hash string) error { return s.cut(ctx, t, through, why, last, hash) })
}

// beyond finds the last entry that goes; 0 for none. It reads all of them, and
// nobody who writes waits for that: meanwhile others come at the other end.
func (s *Store) beyond(ctx context.Context) (through int64, why string, err error) {
	db, err := s.connected(ctx)
	if err != nil {
		return 0, "", err
	}
	scan := func(to any, query string, args ...any) error {
		return db.QueryRowContext(ctx, s.place.bind(query), args...).Scan(to)
	}
	l, now := s.options.Limits, s.options.Now()
	var oldest sql.NullInt64
	if err := scan(&oldest, `SELECT at FROM audit ORDER BY sequence LIMIT 1`); err != nil {
		return 0, "", none(err)
	}
	if oldest.Int64 < now.Add(-l.AuditAge-l.AuditAge/auditSlack).UnixMilli() {
		err := scan(&through, `SELECT COALESCE(MAX(sequence), 0) FROM audit WHERE at < ? AND sequence < COALESCE((SELECT MIN(sequence) FROM audit WHERE at >= ?), (SELECT MAX(sequence) + 1 FROM audit))`,
			now.Add(-l.AuditAge).UnixMilli(), now.Add(-l.AuditAge).UnixMilli())
		return through, "they were older than " + l.AuditAge.String(), none(err)
	}
	var size int64
	if err := scan(&size, `SELECT COALESCE(SUM(bytes), 0) FROM audit`); err != nil {
		return 0, "", none(err)
	}
	if size <= l.AuditBytes {
		return 0, "", nil
	}
	err = scan(&through, `SELECT COALESCE(MIN(sequence), 0) FROM (SELECT sequence, SUM(bytes) OVER (ORDER BY sequence) AS gone FROM audit) AS sums WHERE gone >= ?`,
		size-l.AuditBytes+l.AuditBytes/auditRoom)
	return through, fmt.Sprintf("all were more than %d bytes", l.AuditBytes), none(err)
}

// none takes that there is no row for no error.
func none(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return fmt.Errorf("cannot measure the audit: %w", err)
}

// cut adds the checkpoint, and deletes.
func (s *Store) cut(ctx context.Context, t *transaction, through int64, why string, last int64, hash string) error {
	point := audit.Checkpoint{Through: through}
	// Where it is no longer there, another engine was faster.
	if err := t.scan(ctx, &point.Hash, `SELECT hash FROM audit WHERE sequence = ?`, through); err != nil {
		return none(err)
	}
	if err := t.scan(ctx, &point.Count, `SELECT COUNT(*) FROM audit WHERE sequence <= ?`, through); err != nil {
		return none(err)
	}
	_, err := s.link(ctx, t, &audit.Entry{
		Time: s.options.Now(), Who: audit.Who{Name: audit.Engine}, Verb: "prune", Resource: "audit", Outcome: audit.Allowed, Reason: why, Checkpoint: &point,
	}, last, hash)
	if err == nil {
		err = t.exec(ctx, `DELETE FROM audit WHERE sequence <= ?`, through)
	}
	return err
}
