package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Commits returns commits with their steps. Steps are those of all
// applications: who asks leaves out what may not be seen.
func (s *Store) Commits(ctx context.Context, q history.CommitQuery) ([]history.Changed, error) {
	s.flush(ctx)
	var out []history.Changed
	err := s.ask(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		out, err = s.commitsFor(ctx, db, &q)
		return err
	})
	return out, err
}

func (s *Store) commitsFor(ctx context.Context, db *sql.DB, q *history.CommitQuery) ([]history.Changed, error) {
	where, args := whereCommits(q)
	rows, err := db.QueryContext(ctx, s.place.bind(`SELECT `+columnsOfCommit+` FROM commits c WHERE `+where+`
		ORDER BY changed DESC, repo DESC, revision DESC LIMIT ?`), append(args, q.Limit)...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []history.Changed
	for rows.Next() {
		c, err := scanCommit(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, *c)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Steps, err = s.steps(ctx, db, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// whereCommits is the condition of a query.
func whereCommits(q *history.CommitQuery) (string, []any) {
	parts, args := []string{"changed > 0"}, []any{}
	add := func(part string, values ...any) {
		parts, args = append(parts, part), append(args, values...)
	}
	if !q.Before.At.IsZero() {
		add("(changed, repo, revision) < (?, ?, ?)", q.Before.At.UnixMilli(), q.Before.Repo, q.Before.Revision)
	}
	if q.Repo != "" {
		add("repo = ?", q.Repo)
	}
	const step = "EXISTS (SELECT 1 FROM steps s WHERE s.repo = c.repo AND s.revision = c.revision AND "
	for _, f := range []struct{ column, value string }{{"project", q.Project}, {"cluster", q.Cluster}, {"state", string(q.State)}} {
		if f.value != "" {
			add(step+"s."+f.column+" = ?)", f.value)
		}
	}
	for w := range strings.FieldsSeq(strings.ToLower(q.Own)) {
		add(`words LIKE ? ESCAPE '\'`, containing(w))
	}
	for w := range strings.FieldsSeq(strings.ToLower(q.Text)) {
		like := containing(w)
		add(`(words LIKE ? ESCAPE '\' OR `+step+`s.name LIKE ? ESCAPE '\'))`, like, like)
	}
	return strings.Join(parts, " AND "), args
}

// containing is a pattern of what contains a word.
func containing(word string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(word) + "%"
}

// Changed returns one commit with its steps.
func (s *Store) Changed(ctx context.Context, key history.CommitKey) (*history.Changed, error) {
	s.flush(ctx)
	var c *history.Changed
	err := s.ask(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		c, err = scanCommit(db.QueryRowContext(ctx, s.place.bind(`SELECT `+columnsOfCommit+` FROM commits WHERE repo = ? AND revision = ?`), key.Repo, key.Revision))
		if errors.Is(err, sql.ErrNoRows) {
			return gitops.Problemf(gitops.NotFound, "commit %s is not known", key.Revision)
		}
		if err == nil {
			c.Steps, err = s.steps(ctx, db, c)
		}
		return err
	})
	return c, err
}

// CommitsOf says what is known of commits by the applications that they are of: of
// one that only others took up nothing is told.
func (s *Store) CommitsOf(ctx context.Context, keys []history.CommitOf) (map[history.CommitOf]history.Commit, error) {
	out := map[history.CommitOf]history.Commit{}
	if len(keys) == 0 {
		return out, nil
	}
	err := s.ask(ctx, func(ctx context.Context, db *sql.DB) error {
		for some := range slices.Chunk(keys, commitsAsked) {
			if err := s.commitsOfSteps(ctx, db, some, out); err != nil {
				return err
			}
			rest := slices.DeleteFunc(slices.Clone(some), func(k history.CommitOf) bool { _, known := out[k]; return known })
			if err := s.commitsOfSyncs(ctx, db, rest, out); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// commitsAsked is how many are asked for at a time: the other end may be far.
const commitsAsked = 100

// rowsOfText are so many rows of so many values each, to be compared with.
func rowsOfText(rows, values int) string {
	row := ", (" + strings.Repeat(", ?", values)[2:] + ")"
	return "(VALUES " + strings.Repeat(row, rows)[2:] + ")"
}

// commitsOfSteps finds those that applications have taken up.
func (s *Store) commitsOfSteps(ctx context.Context, db *sql.DB, keys []history.CommitOf, to map[history.CommitOf]history.Commit) error {
	args := make([]any, 0, 4*len(keys))
	for _, k := range keys {
		args = append(args, k.Repo, k.Revision, k.Namespace, k.Name)
	}
	rows, err := db.QueryContext(ctx, s.place.bind(`SELECT s.namespace, s.name, c.repo, c.revision, c.url, `+textsOfCommit+`, c.date FROM steps s
		JOIN commits c ON c.repo = s.repo AND c.revision = s.revision WHERE (s.repo, s.revision, s.namespace, s.name) IN `+rowsOfText(len(keys), 4)), args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var k history.CommitOf
		var c history.Commit
		var date int64
		if err := rows.Scan(&k.Namespace, &k.Name, &k.Repo, &k.Revision, &c.RepoURL, &c.Author, &c.Subject, &date); err != nil {
			return err
		}
		c.Revision, c.Date = k.Revision, moment(date)
		to[k] = c.Shown()
	}
	return rows.Err()
}

// commitsOfSyncs finds those that applications were synced to last: their steps go
// when they are old, and that sync stays.
func (s *Store) commitsOfSyncs(ctx context.Context, db *sql.DB, keys []history.CommitOf, to map[history.CommitOf]history.Commit) error {
	if len(keys) == 0 {
		return nil
	}
	wanted, args := map[history.CommitOf]bool{}, make([]any, 0, 2*len(keys)+2)
	for _, k := range keys {
		wanted[k] = true
		args = append(args, k.Namespace, k.Name)
	}
	rows, err := db.QueryContext(ctx, s.place.bind(`SELECT namespace, name, body FROM syncs s WHERE (namespace, name) IN `+rowsOfText(len(keys), 2)+`
		AND phase = ? AND started = (SELECT MAX(started) FROM syncs l WHERE l.namespace = s.namespace AND l.name = s.name AND l.phase = ?)`), append(args, history.PhaseSucceeded, history.PhaseSucceeded)...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var k history.CommitOf
		var body []byte
		var last struct{ Commits []history.Commit }
		if err := rows.Scan(&k.Namespace, &k.Name, &body); err != nil {
			return err
		}
		if err := s.sealer.unpack(body, &last); err != nil {
			return err
		}
		for _, c := range last.Commits {
			k.CommitKey = history.CommitKey{Repo: history.RepoID(c.RepoURL), Revision: c.Revision}
			if wanted[k] && c.IsCommit() {
				to[k] = c.Shown()
			}
		}
	}
	return rows.Err()
}

// textsOfCommit are author and subject. What was written when nothing bounded them is
// not read whole: of a text that is longer than gitops.MostCommitText there is one
// character more, for shown to see it.
const (
	textsOfCommit = `substr(author, 1, ` + textRead + `), substr(subject, 1, ` + textRead + `)`
	textRead      = `1025`
)

// columnsOfCommit are those that scanCommit reads.
const columnsOfCommit = `repo, revision, url, ` + textsOfCommit + `, date, changed, version`

func scanCommit(row interface{ Scan(to ...any) error }) (*history.Changed, error) {
	var c history.Changed
	var date, changed int64
	if err := row.Scan(&c.Repo, &c.CommitKey.Revision, &c.RepoURL, &c.Author, &c.Subject, &date, &changed, &c.Version); err != nil {
		return nil, err
	}
	c.Commit.Revision, c.Date, c.At = c.CommitKey.Revision, moment(date), moment(changed)
	c.Commit = c.Shown()
	return &c, nil
}

// steps of a commit, from the database only where they are others than those
// that were read before.
func (s *Store) steps(ctx context.Context, db *sql.DB, c *history.Changed) ([]history.Step, error) {
	if known, ok := s.read.get(c.CommitKey, c.Version); ok {
		return known, nil
	}
	out, err := s.stepsOf(ctx, db, c.CommitKey)
	if err == nil {
		s.read.put(c.CommitKey, c.Version, out)
	}
	return out, err
}

func (s *Store) stepsOf(ctx context.Context, db *sql.DB, key history.CommitKey) ([]history.Step, error) {
	rows, err := db.QueryContext(ctx, s.place.bind(`SELECT namespace, name, project, cluster, state, stage, sync, began, fetched, rendered, planned, started, applied, healthy, at, object, message
		FROM steps WHERE repo = ? AND revision = ? ORDER BY namespace, name`), key.Repo, key.Revision)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []history.Step
	for rows.Next() {
		var st history.Step
		var times [8]int64
		var object string
		if err := rows.Scan(&st.App.Namespace, &st.App.Name, &st.Project, &st.Cluster, &st.State, &st.Stage, &st.Sync,
			&times[0], &times[1], &times[2], &times[3], &times[4], &times[5], &times[6], &times[7], &object, &st.Message); err != nil {
			return nil, err
		}
		st.Passes = history.Passes{Began: moment(times[0]), Fetched: moment(times[1]), Rendered: moment(times[2]), Planned: moment(times[3])}
		st.Started, st.Applied, st.Healthy, st.At = moment(times[4]), moment(times[5]), moment(times[6]), moment(times[7])
		if object != "" {
			st.Object = &gitops.Key{}
			if err := json.Unmarshal([]byte(object), st.Object); err != nil {
				return nil, fmt.Errorf("cannot read the object of a commit: %w", err)
			}
		}
		out = append(out, st)
	}
	return out, rows.Err()
}

// moment is a time as it is kept; none where it is 0, or no time that JSON has.
func moment(ms int64) time.Time {
	t := time.UnixMilli(ms).UTC()
	if ms == 0 || t.Year() < 0 || t.Year() > lastYear {
		return time.Time{}
	}
	return t
}

// lastYear is that of JSON's times.
const lastYear = 9999
