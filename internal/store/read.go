package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/room"
)

// flushTime is how long a question waits for what is queued, where nothing is said.
const flushTime = 2 * time.Second

// away explains that the database does not answer.
func (s *Store) away(err error) error {
	return gitops.Problemf(gitops.Unreachable, "cannot read the history in %s: %w", s.Where(), err).Do("see that the database runs and that its disk has room")
}

// flush waits until what was queued before has been tried, for a while.
func (s *Store) flush(ctx context.Context) {
	s.line.wait(ctx, s.options.FlushWithin)
}

// Schema is the version of the tables.
func (s *Store) Schema(ctx context.Context) (int64, error) {
	var version int64
	err := s.ask(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		version, err = s.count(ctx, db, `SELECT max(version_id) FROM goose_db_version`)
		return err
	})
	return version, err
}

// List returns the newest syncs of an application, newest first, without
// their waves.
func (s *Store) List(ctx context.Context, namespace, name string, most int) ([]history.Sync, error) {
	s.flush(ctx)
	return s.list(ctx, `SELECT body FROM syncs WHERE namespace = ? AND name = ? ORDER BY started DESC, id LIMIT ?`, namespace, name, most)
}

// Older is List from the sync on that comes after a place. That one need not be
// there any more.
func (s *Store) Older(ctx context.Context, namespace, name string, than history.SyncPlace, most int) ([]history.Sync, error) {
	s.flush(ctx)
	at := milli(than.Started)
	return s.list(ctx, `SELECT body FROM syncs WHERE namespace = ? AND name = ? AND (started < ? OR started = ? AND id > ?) ORDER BY started DESC, id LIMIT ?`,
		namespace, name, at, at, than.ID, most)
}

func (s *Store) list(ctx context.Context, query string, args ...any) ([]history.Sync, error) {
	var out []history.Sync
	err := s.bodies(ctx, func(body []byte) error {
		var one history.Sync
		err := s.sealer.unpack(body, &one)
		one.Waves = nil
		out = append(out, one)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// bodies asks for rows of one body each.
func (s *Store) bodies(ctx context.Context, each func(body []byte) error, query string, args ...any) error {
	return s.ask(ctx, func(ctx context.Context, db *sql.DB) error {
		rows, err := db.QueryContext(ctx, s.place.bind(query), args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var body []byte
			if err := rows.Scan(&body); err != nil {
				return err
			}
			if err := each(body); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// body asks for the body of one row. The error is that of sql.ErrNoRows where there
// is none.
func (s *Store) body(ctx context.Context, query string, args ...any) (body []byte, err error) {
	err = s.ask(ctx, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, s.place.bind(query), args...).Scan(&body)
	})
	return body, err
}

// Get returns a sync with its waves.
func (s *Store) Get(ctx context.Context, id string) (*history.Sync, error) {
	s.flush(ctx)
	body, err := s.body(ctx, `SELECT body FROM syncs WHERE id = ?`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, gitops.Problemf(gitops.NotFound, "sync %s is not in the history", id)
	}
	if err != nil {
		return nil, err
	}
	one, err := s.readSync(body)
	if err != nil {
		return nil, s.away(err)
	}
	return one, nil
}

// Began reports whether an application has begun a sync, since a time, that was asked
// for by a request.
func (s *Store) Began(ctx context.Context, app history.App, request string, since time.Time) (bool, error) {
	s.flush(ctx)
	began := false
	err := s.bodies(ctx, func(body []byte) error {
		one, err := s.readSync(body)
		began = began || one.Request == request && one.App.UID == app.UID
		return err
	}, `SELECT body FROM syncs WHERE namespace = ? AND name = ? AND started >= ?`, app.Namespace, app.Name, milli(since))
	return began, err
}

// Passed reports whether a sync of an application that began at a time is over, or another
// one of the application began later. Of one that is not in the history any more, later
// ones are.
func (s *Store) Passed(ctx context.Context, app history.App, sync string, began time.Time) (bool, error) {
	s.flush(ctx)
	passed := false
	err := s.bodies(ctx, func(body []byte) error {
		one, err := s.readSync(body)
		if err == nil && one.App.UID == app.UID {
			passed = passed || one.ID == sync && !one.Finished.IsZero() || one.ID != sync && one.Started.After(began)
		}
		return err
	}, `SELECT body FROM syncs WHERE namespace = ? AND name = ? AND (id = ? OR started > ?)`, app.Namespace, app.Name, sync, milli(began))
	return passed, err
}

// mostChanges bounds what is told of one sync.
const mostChanges = 5000

// Changes returns how health moved after a sync began, in order.
func (s *Store) Changes(ctx context.Context, id string) ([]history.Change, error) {
	s.flush(ctx)
	var out []history.Change
	err := s.bodies(ctx, func(body []byte) error {
		if len(out) >= mostChanges {
			return nil
		}
		var some []history.Change
		err := s.sealer.unpack(body, &some)
		out = append(out, some...)
		return err
	}, `SELECT body FROM health WHERE sync = ? ORDER BY at, id LIMIT ?`, id, mostChanges)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b history.Change) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	return out, nil
}

// Kept returns a sync with its manifests. The error is room.ErrNoRoom where the work of
// the context finds no room for them.
func (s *Store) Kept(ctx context.Context, id string) (*history.Kept, error) {
	one, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	gone := gitops.Problemf(gitops.NotFound, "the manifests of sync %s are not kept any more", id)
	if one.Rendering == "" {
		return nil, gone
	}
	body, err := s.rendering(ctx, one.Rendering)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	r, err := s.sealer.unseal(ctx, one.Rendering, body)
	if errors.Is(err, room.ErrNoRoom) {
		return nil, err
	}
	if err != nil {
		// Another try reads the same: who goes back may look elsewhere.
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the manifests of sync %s: %w", id, err)
	}
	for _, c := range one.Commits {
		r.Revisions = append(r.Revisions, c.Revision)
	}
	return &history.Kept{Sync: *one, Rendering: r}, nil
}

// rendering reads manifests as they are sealed, once there is room for that.
func (s *Store) rendering(ctx context.Context, address string) ([]byte, error) {
	var bytes int64
	err := s.ask(ctx, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, s.place.bind(`SELECT length(body) FROM renderings WHERE address = ?`), address).Scan(&bytes)
	})
	if err != nil {
		return nil, err
	}
	if err := room.Take(ctx, 2*bytes); err != nil { //nolint:mnd // sealed, and opened
		return nil, err
	}
	return s.body(ctx, `SELECT body FROM renderings WHERE address = ?`, address)
}
