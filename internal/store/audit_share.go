package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Runs go from the middle of the chain where they are worth the tenth of a
// kilobyte that vouches for them: else two who take turns would keep theirs.
const (
	leastRun  = 256 // bytes
	runsEach  = 256 // that one entry vouches for
	mostRuns  = 250 * runsEach
	mostNamed = 5
)

// dropFloods deletes the oldest entries of who has most, down to where all
// together are within the limit: those that have less than an equal share keep
// all of theirs. The very first entry stays, so that what goes is in the middle.
func (s *Store) dropFloods(ctx context.Context) error {
	size, err := s.auditSize(ctx)
	limit := s.options.Limits.AuditBytes
	if err != nil || size <= limit {
		return err
	}
	takes, err := rowsOf(ctx, s, `SELECT SUM(bytes) FROM audit GROUP BY account`, func(r *sql.Rows, n *int64) error { return r.Scan(n) })
	if err != nil {
		return err
	}
	most := level(takes, limit-limit/auditRoom)
	runs, err := rowsOf(ctx, s, `WITH summed AS (
	SELECT sequence, account, bytes, SUM(bytes) OVER (PARTITION BY account ORDER BY sequence DESC) AS taken FROM audit),
doomed AS (
	SELECT sequence, bytes, sequence - ROW_NUMBER() OVER (ORDER BY sequence) AS run FROM summed
	WHERE account <> '' AND taken > CAST(? AS BIGINT) AND sequence > (SELECT MIN(sequence) FROM audit))
SELECT MIN(sequence), MAX(sequence) FROM doomed GROUP BY run HAVING SUM(bytes) >= CAST(? AS BIGINT) ORDER BY SUM(bytes) DESC LIMIT ?`,
		func(r *sql.Rows, g *audit.Gap) error { return r.Scan(&g.From, &g.Through) }, most, leastRun, mostRuns)
	if err != nil || len(runs) == 0 {
		return err
	}
	why, err := s.whose(ctx, most)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(runs, runsEach) {
		if err := s.atEnd(ctx, func(t *transaction, last int64, hash string) error { return s.thin(ctx, t, some, why, last, hash) }); err != nil {
			return err
		}
	}
	return nil
}

// whose says whose entries go, and why.
func (s *Store) whose(ctx context.Context, most int64) (string, error) {
	names, err := rowsOf(ctx, s, `SELECT MAX(who) FROM audit WHERE account <> '' GROUP BY account HAVING SUM(bytes) > CAST(? AS BIGINT) ORDER BY SUM(bytes) DESC LIMIT ?`,
		func(r *sql.Rows, name *string) error { return r.Scan(name) }, most, mostNamed)
	for i, name := range names {
		if name == "" {
			names[i] = "nobody who is known"
		}
	}
	return fmt.Sprintf("all were more than %d bytes, and these are of who has most: %s", s.options.Limits.AuditBytes, strings.Join(names, ", ")), err
}

// thin adds an entry that vouches for runs, and deletes them. Of a run that
// another engine has begun to delete nothing goes.
func (s *Store) thin(ctx context.Context, t *transaction, runs []audit.Gap, why string, last int64, hash string) error {
	var gaps []audit.Gap
	for _, g := range runs {
		var there int64
		if err := t.scan(ctx, &there, `SELECT COUNT(*) FROM audit WHERE sequence BETWEEN ? AND ?`, g.From, g.Through); err != nil {
			return none(err)
		}
		if there != g.Through-g.From+1 {
			continue
		}
		if err := t.scan(ctx, &g.Hash, `SELECT hash FROM audit WHERE sequence = ?`, g.Through); err != nil {
			return none(err)
		}
		gaps = append(gaps, g)
	}
	if len(gaps) == 0 {
		return nil
	}
	if _, err := s.link(ctx, t, s.pruning(why, nil, gaps), last, hash); err != nil {
		return err
	}
	for _, g := range gaps {
		if err := t.exec(ctx, `DELETE FROM audit WHERE sequence BETWEEN ? AND ?`, g.From, g.Through); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf reads rows of the audit.
func rowsOf[T any](ctx context.Context, s *Store, query string, read func(*sql.Rows, *T) error, args ...any) ([]T, error) {
	db, err := s.writing(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, s.place.bind(query), args...)
	if err != nil {
		return nil, none(err)
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		var one T
		if err := read(rows, &one); err != nil {
			return nil, none(err)
		}
		out = append(out, one)
	}
	return out, none(rows.Err())
}
