package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// unreferenced is how old manifests without a sync must be to go: the sync
// that needs them may still be queued.
const unreferenced = 10 * time.Minute

// worthless are the syncs beyond the limits: too many of one application (of
// healing and others apart, so that a fight over an object does not push the
// history out), or too old. The last two good ones of each application stay.
const worthless = `DELETE FROM syncs WHERE id IN (
	SELECT id FROM (
		SELECT id, started,
			ROW_NUMBER() OVER (PARTITION BY namespace, name, CASE WHEN cause = 'heal' THEN 1 ELSE 0 END ORDER BY started DESC) AS place,
			ROW_NUMBER() OVER (PARTITION BY namespace, name, CASE WHEN phase = 'Succeeded' THEN 1 ELSE 0 END ORDER BY started DESC) AS good,
			CASE WHEN phase = 'Succeeded' THEN 1 ELSE 0 END AS succeeded
		FROM syncs) AS ranked
	WHERE (place > ? OR started < ?) AND NOT (succeeded = 1 AND good <= 2))`

// tidy brings the store back into its limits.
func (s *Store) tidy(ctx context.Context) {
	if err := errors.Join(s.Prune(ctx), s.PruneAudit(ctx)); err != nil && ctx.Err() == nil {
		s.told(err)
	}
}

// full reports whether what was written since the last pruning does not fit any more.
func (s *Store) full() bool {
	grown, most := s.stats.grown.Load(), s.options.Limits.Bytes
	return grown > most/freed && s.stats.bytes.Load()+grown > most
}

// Prune deletes what is beyond the limits. Run does so from time to time.
func (s *Store) Prune(ctx context.Context) error {
	db, err := s.writing(ctx)
	if err != nil {
		return err
	}
	l := s.options.Limits
	s.stats.grown.Store(0)
	if err := s.do(ctx, db, worthless, l.Entries, s.options.Now().Add(-l.Age).UnixMilli()); err != nil {
		return err
	}
	if err := s.sweep(ctx, db); err != nil {
		return err
	}
	if err := s.pruneCommits(ctx, db); err != nil {
		return err
	}
	size, err := s.size(ctx, db)
	if err == nil && size > l.Bytes {
		if err = s.shed(ctx, db, size); err == nil {
			size, err = s.size(ctx, db)
		}
	}
	if err != nil {
		return err
	}
	s.stats.bytes.Store(size)
	s.kept.clear()
	return s.shrink(ctx, db)
}

// sweep deletes manifests and health that no sync refers to.
func (s *Store) sweep(ctx context.Context, db *sql.DB) error {
	before := s.options.Now().Add(-unreferenced).UnixMilli()
	if err := s.do(ctx, db, `DELETE FROM renderings WHERE added <= ? AND NOT EXISTS (SELECT 1 FROM syncs WHERE syncs.rendering = renderings.address)`, before); err != nil {
		return err
	}
	return s.do(ctx, db, `DELETE FROM health WHERE at <= ? AND NOT EXISTS (SELECT 1 FROM syncs WHERE syncs.id = health.sync)`, before)
}

// shrink gives pages back to the file system.
func (s *Store) shrink(ctx context.Context, db *sql.DB) error {
	if s.place.postgres {
		return nil // the server does that by itself
	}
	return s.do(ctx, db, `PRAGMA incremental_vacuum`)
}

func (s *Store) do(ctx context.Context, db *sql.DB, query string, args ...any) error {
	if _, err := db.ExecContext(ctx, s.place.bind(query), args...); err != nil {
		return fmt.Errorf("cannot prune the history: %w", err)
	}
	return nil
}

func (s *Store) count(ctx context.Context, db *sql.DB, query string) (int64, error) {
	var n int64
	if err := db.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("cannot measure the history: %w", err)
	}
	return n, nil
}
