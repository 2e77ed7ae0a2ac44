package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// flushTime is how long a question waits for what is queued, where nothing is said.
const flushTime = 2 * time.Second

// away explains that the database does not answer.
func (s *Store) away(err error) error {
	return gitops.Problemf(gitops.Unreachable, "cannot read the history in %s: %w", s.Where(), err).Do("see that the database runs and that its disk has room")
}

// flush waits until what was queued before has been tried, for a while.
func (s *Store) flush(ctx context.Context) {
	if s.unsaved.Load() == 0 && !s.stats.up.Load() {
		return
	}
	marker := item{flushed: make(chan struct{})}
	select {
	case s.queue <- marker:
	default:
		return
	}
	select {
	case <-marker.flushed:
	case <-ctx.Done():
	case <-time.After(s.options.FlushWithin):
	}
}

// Schema is the version of the tables.
func (s *Store) Schema(ctx context.Context) (int64, error) {
	db, err := s.connected(ctx)
	if err != nil {
		return 0, s.away(err)
	}
	return s.count(ctx, db, `SELECT max(version_id) FROM goose_db_version`)
}

// List returns the newest syncs of an application, newest first, without
// their waves.
func (s *Store) List(ctx context.Context, namespace, name string, most int) ([]Sync, error) {
	s.flush(ctx)
	return s.list(ctx, `SELECT body FROM syncs WHERE namespace = ? AND name = ? ORDER BY started DESC, id LIMIT ?`, namespace, name, most)
}

// SyncPlace is where a sync stands in the list of its application's.
type SyncPlace struct {
	Started time.Time
	ID      string
}

// Older is List from the sync on that comes after a place. That one need not be
// there any more.
func (s *Store) Older(ctx context.Context, namespace, name string, than SyncPlace, most int) ([]Sync, error) {
	s.flush(ctx)
	at := milli(than.Started)
	return s.list(ctx, `SELECT body FROM syncs WHERE namespace = ? AND name = ? AND (started < ? OR started = ? AND id > ?) ORDER BY started DESC, id LIMIT ?`,
		namespace, name, at, at, than.ID, most)
}

func (s *Store) list(ctx context.Context, query string, args ...any) ([]Sync, error) {
	db, err := s.connected(ctx)
	if err != nil {
		return nil, s.away(err)
	}
	rows, err := db.QueryContext(ctx, s.place.bind(query), args...)
	if err != nil {
		return nil, s.away(err)
	}
	defer func() { _ = rows.Close() }()
	var out []Sync
	for rows.Next() {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return nil, s.away(err)
		}
		var one Sync
		if err := s.sealer.unpack(body, &one); err != nil {
			return nil, s.away(err)
		}
		one.Waves = nil
		out = append(out, one)
	}
	if err := rows.Err(); err != nil {
		return nil, s.away(err)
	}
	return out, nil
}

// Get returns a sync with its waves.
func (s *Store) Get(ctx context.Context, id string) (*Sync, error) {
	s.flush(ctx)
	db, err := s.connected(ctx)
	if err != nil {
		return nil, s.away(err)
	}
	var body []byte
	err = db.QueryRowContext(ctx, s.place.bind(`SELECT body FROM syncs WHERE id = ?`), id).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, gitops.Problemf(gitops.NotFound, "sync %s is not in the history", id)
	}
	if err != nil {
		return nil, s.away(err)
	}
	one, err := s.readSync(body)
	if err != nil {
		return nil, s.away(err)
	}
	return one, nil
}

// mostChanges bounds what is told of one sync.
const mostChanges = 5000

// Changes returns how health moved after a sync began, in order.
func (s *Store) Changes(ctx context.Context, id string) ([]Change, error) {
	s.flush(ctx)
	db, err := s.connected(ctx)
	if err != nil {
		return nil, s.away(err)
	}
	rows, err := db.QueryContext(ctx, s.place.bind(`SELECT body FROM health WHERE sync = ? ORDER BY at, id LIMIT ?`), id, mostChanges)
	if err != nil {
		return nil, s.away(err)
	}
	defer func() { _ = rows.Close() }()
	var out []Change
	for rows.Next() && len(out) < mostChanges {
		var body []byte
		var some []Change
		if err := errors.Join(rows.Scan(&body), s.sealer.unpack(body, &some)); err != nil {
			return nil, s.away(err)
		}
		out = append(out, some...)
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	if err := rows.Err(); err != nil {
		return nil, s.away(err)
	}
	return out, nil
}

// Kept returns a sync with its manifests.
func (s *Store) Kept(ctx context.Context, id string) (*Kept, error) {
	one, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	gone := gitops.Problemf(gitops.NotFound, "the manifests of sync %s are not kept any more", id)
	if one.Rendering == "" {
		return nil, gone
	}
	db, err := s.connected(ctx)
	if err != nil {
		return nil, s.away(err)
	}
	var body []byte
	err = db.QueryRowContext(ctx, s.place.bind(`SELECT body FROM renderings WHERE address = ?`), one.Rendering).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, gone
	}
	if err != nil {
		return nil, s.away(err)
	}
	r, err := s.sealer.unseal(one.Rendering, body)
	if err != nil {
		return nil, fmt.Errorf("cannot read the manifests of sync %s: %w", id, err)
	}
	for _, c := range one.Commits {
		r.Revisions = append(r.Revisions, c.Revision)
	}
	return &Kept{Sync: *one, Rendering: r}, nil
}
