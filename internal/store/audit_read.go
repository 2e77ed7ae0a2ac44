package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// AuditQuery picks entries; what is empty does not matter.
type AuditQuery struct {
	Who, Verb, Outcome, Project, Namespace, Name string
	// Text are words that all have to occur.
	Text string
	// From and To bound the time; To is not part of it.
	From, To time.Time
	// After and Before bound the sequence; neither is part of it.
	After, Before int64
	Limit         int
}

// where is the condition of a query.
func (q *AuditQuery) where() (string, []any) {
	parts, args := []string{"sequence > ?"}, []any{q.After}
	add := func(part string, arg any) { parts, args = append(parts, part), append(args, arg) }
	for _, c := range []struct{ column, value string }{
		{"who", q.Who}, {"verb", q.Verb}, {"outcome", q.Outcome}, {"project", q.Project}, {"namespace", q.Namespace}, {"name", q.Name},
	} {
		if c.value != "" {
			add(c.column+" = ?", c.value)
		}
	}
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	for _, word := range strings.Fields(strings.ToLower(q.Text)) {
		add(`words LIKE ? ESCAPE '\'`, "%"+escape.Replace(word)+"%")
	}
	if q.Before > 0 {
		add("sequence < ?", q.Before)
	}
	if !q.From.IsZero() {
		add("at >= ?", q.From.UnixMilli())
	}
	if !q.To.IsZero() {
		add("at < ?", q.To.UnixMilli())
	}
	return strings.Join(parts, " AND "), args
}

// Audit returns entries, the newest first.
func (s *Store) Audit(ctx context.Context, q AuditQuery) ([]audit.Entry, error) {
	where, args := q.where()
	out := []audit.Entry{}
	err := s.entries(ctx, `SELECT body, hash FROM audit WHERE `+where+` ORDER BY sequence DESC LIMIT ?`, append(args, q.Limit), func(text []byte, hash string) error {
		e, err := audit.Parse(text, hash)
		if err != nil {
			return err
		}
		out = append(out, *e)
		return nil
	})
	return out, err
}

// exported is how many entries are read at a time: a slow reader of an export
// keeps nothing open.
const exported = 500

// ExportAudit hands out entries, the oldest first, a line of JSON each.
func (s *Store) ExportAudit(ctx context.Context, q AuditQuery, line func([]byte) error) error {
	for left := q.Limit; ; {
		where, args := q.where()
		var lines [][]byte
		err := s.entries(ctx, `SELECT body, hash FROM audit WHERE `+where+` ORDER BY sequence LIMIT ?`, append(args, exported), func(text []byte, hash string) error {
			e, err := audit.Parse(text, hash)
			if err != nil {
				return err
			}
			q.After, lines = e.Sequence, append(lines, audit.Line(text, hash))
			return nil
		})
		if err != nil {
			return err
		}
		for _, l := range lines {
			if err := line(l); err != nil {
				return err
			}
			if left--; left == 0 {
				return nil
			}
		}
		if len(lines) < exported {
			return nil
		}
	}
}

func (s *Store) entries(ctx context.Context, query string, args []any, each func(text []byte, hash string) error) error {
	var broken error
	err := s.askWithin(ctx, auditTimes*s.options.AnswerWithin, func(ctx context.Context, db *sql.DB) error {
		rows, err := db.QueryContext(ctx, s.place.bind(query), args...)
		if err != nil {
			return s.auditAway(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var text []byte
			var hash string
			if err := rows.Scan(&text, &hash); err != nil {
				return s.auditAway(err)
			}
			if broken = each(text, hash); broken != nil {
				return nil
			}
		}
		if err := rows.Err(); err != nil {
			return s.auditAway(err)
		}
		return nil
	})
	if broken != nil {
		return fmt.Errorf("an entry of the audit cannot be read: %w; see causeway audit verify", broken)
	}
	return err
}

func (s *Store) auditAway(err error) error {
	return gitops.Problemf(gitops.Unreachable, "cannot read the audit in %s: %w", s.Where(), err).Do("see that the database runs")
}

// VerifyAudit goes through the whole chain, as of one moment. Expect is a hash
// that has to be in it; empty for none. The error is an audit.Broken where the
// chain does not hold.
func (s *Store) VerifyAudit(ctx context.Context, expect string) (audit.Report, error) {
	end, err := s.askers.take(ctx) // it takes as long as there are entries
	if err != nil {
		return audit.Report{}, s.auditAway(err)
	}
	defer end()
	db, err := s.connected(ctx)
	if err != nil {
		return audit.Report{}, s.auditAway(err)
	}
	// One statement sees one moment, and the end is there without any entry.
	rows, err := db.QueryContext(ctx, `SELECT audit_end.sequence, audit_end.hash, audit.sequence, audit.at, audit.who, audit.verb, audit.outcome,
		audit.project, audit.namespace, audit.name, audit.words, audit.account, audit.bytes, audit.hash, audit.body
		FROM audit_end LEFT JOIN audit ON audit.sequence > 0 WHERE audit_end.id = 1 ORDER BY audit.sequence`)
	if err != nil {
		return audit.Report{}, s.auditAway(err)
	}
	defer func() { _ = rows.Close() }()
	v := audit.NewVerifier(expect)
	last, ends := row{}, false
	for rows.Next() {
		var at sql.NullInt64
		r := row{}
		err := rows.Scan(&r.last, &r.lastHash, &r.sequence, &at, &r.who, &r.verb, &r.outcome, &r.project, &r.namespace, &r.name, &r.words, &r.account, &r.bytes, &r.hash, &r.body)
		if err != nil {
			return audit.Report{}, s.auditAway(err)
		}
		last, ends = r, true
		if !r.sequence.Valid {
			break
		}
		if err := r.verify(v, at.Int64); err != nil {
			return audit.Report{}, err
		}
	}
	if err := rows.Err(); err != nil {
		return audit.Report{}, s.auditAway(err)
	}
	report, err := v.End()
	if err != nil {
		return report, err
	}
	return report, last.verifyEnd(report, ends)
}

// row is an entry as the database has it, with the end of the chain.
type row struct {
	last     int64
	lastHash string

	sequence, bytes                                                    sql.NullInt64
	who, verb, outcome, project, namespace, name, words, account, hash sql.NullString
	body                                                               []byte
}

func (r *row) verify(v *audit.Verifier, at int64) error {
	e, err := v.Take(r.sequence.Int64, r.body, r.hash.String)
	if err != nil {
		return err
	}
	is := columns{at, r.who.String, r.verb.String, r.outcome.String, r.project.String, r.namespace.String, r.name.String, r.words.String, r.account.String}
	want := columnsOf(e)
	if is.account == "" {
		want.account = "" // as engines before this wrote it: it goes for nobody's share
	}
	if is != want {
		return &audit.Broken{Sequence: e.Sequence, Why: "what is searched is not what was written"}
	}
	if r.bytes.Int64 != int64(len(r.body)) {
		return &audit.Broken{Sequence: e.Sequence, Why: fmt.Sprintf("it has %d bytes, and %d are counted: the entries that go when there are too many bytes would be others", len(r.body), r.bytes.Int64)}
	}
	return nil
}

func (r *row) verifyEnd(report audit.Report, ends bool) error {
	switch {
	case !ends:
		return &audit.Broken{Sequence: report.Last + 1, Why: "the end of the chain is not kept any more: what came after this may be missing"}
	case report.Last < r.last:
		return &audit.Broken{Sequence: report.Last + 1, Why: fmt.Sprintf("it is missing: the last that was written is %d", r.last)}
	case report.Last != r.last || report.Hash != r.lastHash:
		return &audit.Broken{Sequence: report.Last, Why: fmt.Sprintf("it is the last, and the last that was written is %d with the hash %s", r.last, r.lastHash)}
	}
	return nil
}
