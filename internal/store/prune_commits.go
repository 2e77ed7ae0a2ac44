package store

import (
	"context"
	"database/sql"
	"math"
)

// Bounds of what is known of commits, which projects share.
const (
	mostCommits = 5_000
	mostSteps   = 200_000
	// ofCommits is the part of all bytes that is for commits: a quarter.
	ofCommits = 4
	// mostPasses bound the work of one time: what one project gives up of a commit
	// counts for the others that have it.
	mostPasses = 10
)

// The weight of a step: itself, its part of the commit that it is of, of which a whole
// one is wholeCommit, or its bytes and that part of its commit's.
const (
	wholeCommit = 1 << 20
	stepsOfIt   = `COUNT(*) OVER (PARTITION BY s.repo, s.revision)`
	stepItself  = `1`
	stepCommit  = `1048576 / ` + stepsOfIt
	stepBytes   = ownBytes + ` + (` + commitBytes + `) / ` + stepsOfIt
	ownBytes    = `256 + octet_length(s.object) + octet_length(s.message)`
	commitBytes = `256 + octet_length(c.url) + octet_length(c.author) + octet_length(c.subject) + octet_length(c.words)`
)

// quota is how much all steps may weigh together. Rest is what else orders those that
// stay: without it, what a project has of a commit goes as a whole.
type quota struct {
	weight, rest string
	most         int64
}

const oneByOne = `, namespace, name`

// pruneCommits deletes what is known of commits for too long, and where all is too much
// the oldest of the projects that have most.
func (s *Store) pruneCommits(ctx context.Context, db *sql.DB) error {
	if err := s.do(ctx, db, `DELETE FROM steps WHERE at < ?`, s.options.Now().Add(-s.options.Limits.Age).UnixMilli()); err != nil {
		return err
	}
	for _, q := range []quota{
		{stepItself, oneByOne, mostSteps}, {stepCommit, "", mostCommits * wholeCommit}, {stepBytes, oneByOne, s.options.Limits.Bytes / ofCommits},
	} {
		if err := s.shedSteps(ctx, db, q); err != nil {
			return err
		}
	}
	s.read.clear()
	return s.do(ctx, db, `DELETE FROM commits WHERE NOT EXISTS (SELECT 1 FROM steps s WHERE s.repo = commits.repo AND s.revision = commits.revision)`)
}

// shedSteps deletes the steps of the oldest commits of the projects that have most,
// down to where all together are within a quota: a project that has less than an equal
// share keeps all. Steps whose project is not known are their application's alone.
func (s *Store) shedSteps(ctx context.Context, db *sql.DB, q quota) error {
	weighed := `WITH weighed AS (
	SELECT s.repo, s.revision, s.namespace, s.name, c.changed,
		CASE WHEN s.project = '' THEN s.namespace || '/' || s.name ELSE s.project END AS account, ` + q.weight + ` AS weight
	FROM steps s JOIN commits c ON c.repo = s.repo AND c.revision = s.revision) `
	for range mostPasses {
		takes, err := s.numbers(ctx, db, weighed+`SELECT SUM(weight) FROM weighed GROUP BY account`)
		if err != nil {
			return err
		}
		most := level(takes, q.most)
		if most == math.MaxInt64 {
			return nil
		}
		if err := s.do(ctx, db, weighed+`DELETE FROM steps WHERE (repo, revision, namespace, name) IN (
	SELECT repo, revision, namespace, name FROM (
		SELECT repo, revision, namespace, name, SUM(weight) OVER (PARTITION BY account ORDER BY changed DESC, repo, revision`+q.rest+`) AS taken FROM weighed) AS summed
	WHERE taken > CAST(? AS BIGINT))`, most); err != nil {
			return err
		}
	}
	return nil
}

// sizeOfCommits is how much all that is known of commits takes, in bytes.
const sizeOfCommits = `COALESCE((SELECT SUM(` + ownBytes + `) FROM steps s), 0) + COALESCE((SELECT SUM(` + commitBytes + `) FROM commits c), 0)`

// size is how much all of the history takes, in bytes.
func (s *Store) size(ctx context.Context, db *sql.DB) (int64, error) {
	return s.count(ctx, db, `SELECT COALESCE((SELECT SUM(bytes) FROM syncs), 0) + COALESCE((SELECT SUM(bytes) FROM renderings), 0) + COALESCE((SELECT SUM(bytes) FROM health), 0) +
		`+sizeOfCommits)
}
