package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

func anEntry(n int) *audit.Entry {
	return &audit.Entry{
		Who: audit.Who{Name: []string{"ann", "bob"}[n%2], Via: "local"}, From: audit.Origin{Address: "10.0.0.7"}, Verb: "sync", Resource: "applications",
		Project: "shop", Namespace: "argocd", Name: fmt.Sprintf("app-%d", n), Outcome: audit.Allowed, Reason: "Ticket 100%",
	}
}

func fill(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if _, err := s.Append(t.Context(), anEntry(n)); err != nil {
			t.Fatal(err)
		}
	}
}

// tamper changes the database behind the store's back.
func tamper(t *testing.T, s *Store, statements ...string) {
	t.Helper()
	db, err := s.connected(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range statements {
		if _, err := db.ExecContext(t.Context(), one); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
	}
}

func brokenAt(err error) int64 {
	var b *audit.Broken
	if errors.As(err, &b) {
		return b.Sequence
	}
	return 0
}

func TestAuditTellsWhatWasDoneToIt(t *testing.T) {
	const swap = `UPDATE audit SET body = (SELECT body FROM audit AS other WHERE other.sequence = 8 - audit.sequence), hash = (SELECT hash FROM audit AS other WHERE other.sequence = 8 - audit.sequence) WHERE sequence IN (3, 5)`
	cases := map[string]struct {
		reason string
		do     []string
		broken int64
	}{
		"whole":      {"what nobody touched holds", nil, 0},
		"text":       {"a row was written over", []string{`UPDATE audit SET body = (SELECT body FROM audit WHERE sequence = 2) WHERE sequence = 4`}, 4},
		"column":     {"what is searched was changed", []string{`UPDATE audit SET who = 'eve' WHERE sequence = 4`}, 4},
		"size":       {"a size was changed, so that more goes than has to", []string{`UPDATE audit SET bytes = 1000000000 WHERE sequence = 4`}, 4},
		"deleted":    {"a row is gone", []string{`DELETE FROM audit WHERE sequence = 4`}, 4},
		"renumbered": {"and those behind it were counted anew", []string{`DELETE FROM audit WHERE sequence = 4`, `UPDATE audit SET sequence = sequence - 1 WHERE sequence = 5`, `UPDATE audit SET sequence = sequence - 1 WHERE sequence = 6`}, 4},
		"swapped":    {"two have changed places", []string{swap}, 3},
		"first":      {"the beginning is gone", []string{`DELETE FROM audit WHERE sequence < 3`}, 1},
		"last":       {"the end is gone", []string{`DELETE FROM audit WHERE sequence > 4`}, 5},
		"all":        {"everything is gone", []string{`DELETE FROM audit`}, 1},
		"end":        {"the end is not known any more", []string{`DELETE FROM audit_end`}, 1},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			each(t, func(t *testing.T, url string) {
				s := opened(t, Options{URL: url, Key: key})
				fill(t, s, 0, 6)
				tamper(t, s, c.do...)
				if _, err := s.VerifyAudit(t.Context(), ""); brokenAt(err) != c.broken || c.broken == 0 && err != nil {
					t.Errorf("%s: got %v, want it broken at %d", c.reason, err, c.broken)
				}
			})
		})
	}
}

// Who may write the database can cut the end off and say so at the end of the
// chain; a hash that is kept elsewhere tells.
func TestAuditWithAnAnchor(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		fill(t, s, 0, 6)
		anchor, err := s.VerifyAudit(t.Context(), "")
		if err != nil || anchor.Last != 6 {
			t.Fatalf("got %+v, %v", anchor, err)
		}
		fill(t, s, 6, 8)
		if _, err := s.VerifyAudit(t.Context(), anchor.Hash); err != nil {
			t.Errorf("a chain that has grown is not the one that was: %v", err)
		}
		tamper(t, s, `DELETE FROM audit WHERE sequence > 4`, `UPDATE audit_end SET sequence = 4, hash = (SELECT hash FROM audit WHERE sequence = 4)`)
		if _, err := s.VerifyAudit(t.Context(), ""); err != nil {
			t.Errorf("without an anchor: %v", err)
		}
		if _, err := s.VerifyAudit(t.Context(), anchor.Hash); brokenAt(err) != 4 {
			t.Errorf("with an anchor: %v", err)
		}
	})
}

func TestAuditIsSearchedAndExported(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		fill(t, s, 0, 6)
		cases := map[string]struct {
			q    AuditQuery
			want []int64
		}{
			"all":      {AuditQuery{}, []int64{6, 5, 4, 3, 2, 1}},
			"limit":    {AuditQuery{Limit: 2}, []int64{6, 5}},
			"page":     {AuditQuery{Before: 3}, []int64{2, 1}},
			"who":      {AuditQuery{Who: "bob"}, []int64{6, 4, 2}},
			"name":     {AuditQuery{Namespace: "argocd", Name: "app-2"}, []int64{3}},
			"text":     {AuditQuery{Text: "APP-4 ann"}, []int64{5}},
			"wildcard": {AuditQuery{Text: "100% %"}, []int64{6, 5, 4, 3, 2, 1}},
			"escaped":  {AuditQuery{Text: "app_4"}, []int64{}},
			"outcome":  {AuditQuery{Outcome: "denied"}, []int64{}},
			"from":     {AuditQuery{From: at.Add(2 * time.Hour)}, []int64{}},
			"to":       {AuditQuery{To: at.Add(2 * time.Hour), Verb: "sync", After: 4}, []int64{6, 5}},
		}
		for label, c := range cases {
			if c.q.Limit == 0 {
				c.q.Limit = 100
			}
			got, err := s.Audit(t.Context(), c.q)
			seen := []int64{}
			for _, e := range got {
				seen = append(seen, e.Sequence)
			}
			if err != nil || fmt.Sprint(seen) != fmt.Sprint(c.want) {
				t.Errorf("%s: got %v, %v, want %v", label, seen, err, c.want)
			}
		}
		v := audit.NewVerifier("")
		err := s.ExportAudit(t.Context(), AuditQuery{}, func(line []byte) error {
			text, hash, err := audit.Split(line)
			if err != nil {
				return err
			}
			e, err := audit.Parse(text, hash)
			if err == nil {
				_, err = v.Take(e.Sequence, text, hash)
			}
			return err
		})
		if report, end := v.End(); err != nil || end != nil || report.Entries != 6 {
			t.Errorf("the export is %+v, %v, %v", report, err, end)
		}
	})
}

func TestAuditKeepsWithinItsLimits(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		now := at
		o := Options{URL: url, Key: key, Now: func() time.Time { return now }, Limits: Limits{AuditAge: 60 * time.Hour}}
		s := quiet(t, o)
		fill(t, s, 0, 4)
		now = now.Add(61 * time.Hour)
		fill(t, s, 4, 6)
		if err := s.PruneAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := s.VerifyAudit(t.Context(), ""); err != nil || r.First != 1 {
			t.Errorf("the first goes too soon: %+v, %v", r, err)
		}
		now = now.Add(2 * time.Hour)
		old, err := s.VerifyAudit(t.Context(), "")
		if err == nil {
			err = s.PruneAudit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.VerifyAudit(t.Context(), old.Hash); err != nil || r.First != 5 || r.Last != 7 {
			t.Errorf("after the age: %+v, %v", r, err)
		}
		list, err := s.Audit(t.Context(), AuditQuery{Verb: "prune", Limit: 10})
		if err != nil || len(list) != 1 || list[0].Checkpoint.Count != 4 || list[0].Checkpoint.Through != 4 {
			t.Errorf("the checkpoint is %+v, %v", list, err)
		}
		s.options.Limits.AuditBytes = 700
		if err := s.PruneAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := s.VerifyAudit(t.Context(), ""); err != nil || r.First < 6 || r.Last != 9 { // one went from the middle, and what was left was too much
			t.Errorf("after the size: %+v, %v", r, err)
		}
		tamper(t, s, `DELETE FROM audit WHERE sequence = (SELECT MIN(sequence) FROM audit)`)
		if _, err := s.VerifyAudit(t.Context(), ""); brokenAt(err) == 0 {
			t.Error("nobody misses an entry that no checkpoint vouches for")
		}
	})
}

// quiet opens a store that does nothing by itself.
func quiet(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Two engines and many requests make one chain, while the history is written.
func TestAuditOfSeveralEnginesIsOneChain(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		const some = 20
		stores := []*Store{opened(t, Options{URL: url, Key: key}), opened(t, Options{URL: url, Key: key})}
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				for n := range some {
					s := stores[i%2]
					s.Sync(aSync("web", i*some+n))
					if _, err := s.Append(t.Context(), anEntry(i*some+n)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if r, err := stores[0].VerifyAudit(t.Context(), ""); err != nil || r.Entries != 6*some {
			t.Errorf("got %+v, %v", r, err)
		}
		if n := stores[0].Stats().Errors + stores[1].Stats().Errors; n != 0 {
			t.Errorf("the history could not be written %d times", n)
		}
	})
}

// An entry that cannot be written is an error that says so; what happened by
// itself is written when it can be.
func TestAuditThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "away")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder has to be
		t.Fatal(err)
	}
	s := opened(t, Options{URL: filepath.Join(dir, "history.db"), Key: key})
	_, err := s.Append(t.Context(), anEntry(0))
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable || !strings.Contains(err.Error(), "nothing is done") {
		t.Errorf("got %v", err)
	}
	s.Note(anEntry(1))
	eventually(t, "a note is tried", func() bool { return s.Stats().AuditErrors > 1 })
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the note is written", func() bool {
		list, err := s.Audit(t.Context(), AuditQuery{Limit: 10})
		return err == nil && len(list) == 1 && list[0].Name == "app-1"
	})
}

// What is noted while the engine stops is written yet.
func TestAuditNotesAtTheEnd(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := quiet(t, Options{URL: url, Key: key})
		for n := range 5 {
			s.Note(anEntry(n))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if r, err := s.VerifyAudit(t.Context(), ""); err != nil || r.Entries != 5 {
			t.Errorf("got %+v, %v", r, err)
		}
		s.Note(anEntry(5))
		if n := s.Stats().AuditLost; n != 1 || len(s.noted) != 0 {
			t.Errorf("of what is noted too late %d is told, and %d waits", n, len(s.noted))
		}
	})
}

// What waits has the size of an entry, however long a header its sender sent.
func TestAuditNotesAreBounded(t *testing.T) {
	s := quiet(t, Options{URL: filepath.Join(t.TempDir(), "history.db"), Key: key})
	e := anEntry(0)
	e.From.Agent = strings.Repeat("x", 60<<10)
	s.Note(e)
	if kept := <-s.noted; len(kept.From.Agent) > 200 || kept.Name != e.Name {
		t.Errorf("%d bytes of the agent wait, of %s", len(kept.From.Agent), kept.Name)
	}
}

// What cannot be written at the end, and what is too much before, is counted.
func TestAuditNotesThatAreLost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "away")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := quiet(t, Options{URL: filepath.Join(dir, "history.db"), Key: key})
	for n := range notedItems {
		s.Note(anEntry(n))
	}
	if n := s.Stats().AuditLost; n != notedItems-notedPeople {
		t.Errorf("%d of people are too many, want half of them", n)
	}
	for range notedItems - notedPeople + 2 {
		s.Note(&audit.Entry{Who: audit.Who{Name: audit.Engine}, Verb: "prune"})
	}
	if n := s.Stats().AuditLost; n != notedItems-notedPeople+2 {
		t.Errorf("%d are too many, with those of the engine, want 2 more", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if n := s.Stats().AuditLost; n != 2*notedItems-notedPeople+2 {
		t.Errorf("%d are lost, want all", n)
	}
}

// On the disk when Append has returned: SQLite says how it writes.
func TestAuditIsWrittenThrough(t *testing.T) {
	s := quiet(t, Options{URL: filepath.Join(t.TempDir(), "history.db"), Key: key})
	fill(t, s, 0, 1)
	for want, db := range map[int]*sql.DB{1: s.db, 2: s.strict} {
		var got int
		if err := db.QueryRowContext(t.Context(), `PRAGMA synchronous`).Scan(&got); err != nil || got != want {
			t.Errorf("synchronous is %d, %v, want %d", got, err, want)
		}
	}
}
