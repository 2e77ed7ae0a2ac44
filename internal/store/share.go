package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
)

// freed is what is made free where all is too much: a twentieth, so that this
// does not begin anew with the next sync.
const freed = 20

// atOneTime is how many syncs one statement deletes.
const atOneTime = 500

// summed has each sync with how much its project takes up to there: what stays
// longest comes first, and that is what runs, then the last two good syncs of each
// application, then the newest. Manifests count once a project. A sync whose
// project is not known is its application's alone. One that runs goes as well where
// its project takes too much: it is written again when it moves.
const summed = `WITH ranked AS (
	SELECT id, namespace, name, phase, started, rendering, bytes,
		CASE WHEN project = '' THEN namespace || '/' || name ELSE project END AS account,
		ROW_NUMBER() OVER (PARTITION BY namespace, name, CASE WHEN phase = 'Succeeded' THEN 1 ELSE 0 END ORDER BY started DESC) AS place
	FROM syncs),
placed AS (
	SELECT id, account, started, rendering, bytes,
		CASE WHEN phase = 'Running' OR (phase = 'Succeeded' AND place <= 2) THEN 1 ELSE 0 END AS stays
	FROM ranked),
sized AS (
	SELECT id, account, started, rendering, stays,
		bytes + COALESCE((SELECT SUM(h.bytes) FROM health h WHERE h.sync = placed.id), 0) +
		CASE WHEN ROW_NUMBER() OVER (PARTITION BY account, rendering ORDER BY stays DESC, started DESC, id) = 1
			THEN COALESCE((SELECT r.bytes FROM renderings r WHERE r.address = placed.rendering), 0) ELSE 0 END AS size
	FROM placed),
summed AS (
	SELECT id, account, rendering, stays, size,
		SUM(size) OVER (PARTITION BY account ORDER BY stays DESC, started DESC, id) AS taken
	FROM sized) `

// shed deletes the oldest syncs of the projects that take most, down to where
// all together are within the limit. The last two good syncs of an application
// go only where its project takes more than an equal share with these alone.
func (s *Store) shed(ctx context.Context, db *sql.DB, size int64) error {
	takes, err := s.takes(ctx, db)
	if err != nil {
		return err
	}
	all, target := int64(0), s.options.Limits.Bytes-s.options.Limits.Bytes/freed
	for _, n := range takes {
		all += n
	}
	commits, err := s.count(ctx, db, `SELECT `+sizeOfCommits)
	if err != nil {
		return err
	}
	target -= commits // which have been shared already, and stay
	// What no sync refers to yet has a share as a project has, and costs nobody a good
	// sync: a burst of one project's is of that kind until its syncs are written.
	others := max(size-commits-all, 0)
	doomed, err := s.doomed(ctx, db, level(append(slices.Clone(takes), others), target), level(takes, target))
	if err != nil {
		return err
	}
	s.kept.clear() // who comes with the same manifests brings them again
	for some := range slices.Chunk(doomed, atOneTime) {
		if err := s.drop(ctx, db, some); err != nil {
			return err
		}
	}
	return nil
}

// level is up to how much each may take where all together have so much: those
// that take less leave the rest to the others.
func level(takes []int64, all int64) int64 {
	slices.Sort(takes)
	for i, n := range takes {
		share := max(all, 0) / int64(len(takes)-i)
		if n > share {
			return share
		}
		all -= n
	}
	return math.MaxInt64
}

// takes is how much each project takes.
func (s *Store) takes(ctx context.Context, db *sql.DB) ([]int64, error) {
	return s.numbers(ctx, db, summed+`SELECT SUM(size) FROM summed GROUP BY account`)
}

// numbers are those of the rows of a question.
func (s *Store) numbers(ctx context.Context, db *sql.DB, query string) ([]int64, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("cannot measure the history: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, fmt.Errorf("cannot measure the history: %w", err)
		}
		out = append(out, n)
	}
	return out, rows.Err()
}

// going is a sync that goes, and the manifests that it refers to.
type going struct{ id, rendering string }

// doomed are the syncs with which a project takes more than it may, with those
// that stay and with all.
func (s *Store) doomed(ctx context.Context, db *sql.DB, most, ofThoseThatStay int64) ([]going, error) {
	rows, err := db.QueryContext(ctx, s.place.bind(summed+`SELECT id, rendering FROM summed WHERE taken > CASE WHEN stays = 1 THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END`), ofThoseThatStay, most)
	if err != nil {
		return nil, fmt.Errorf("cannot prune the history: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []going
	for rows.Next() {
		var g going
		if err := rows.Scan(&g.id, &g.rendering); err != nil {
			return nil, fmt.Errorf("cannot prune the history: %w", err)
		}
		out = append(out, g)
	}
	return out, rows.Err()
}

// drop deletes syncs, with what only they refer to. A sync that is queued, and
// whose manifests are the same, has none to go back to: they are old.
func (s *Store) drop(ctx context.Context, db *sql.DB, all []going) error {
	ids, addresses := make([]any, 0, len(all)), make([]any, 0, len(all))
	for _, g := range all {
		ids, addresses = append(ids, g.id), append(addresses, g.rendering)
	}
	in := " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(all)), ", ") + ")"
	for _, d := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM syncs WHERE id` + in, ids},
		{`DELETE FROM health WHERE sync` + in, ids},
		{`DELETE FROM renderings WHERE address` + in + ` AND NOT EXISTS (SELECT 1 FROM syncs WHERE syncs.rendering = renderings.address)`, addresses},
	} {
		if err := s.do(ctx, db, d.query, d.args...); err != nil {
			return err
		}
	}
	return nil
}
