package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Two people of an issuer who have one name.
var (
	bob   = audit.Who{Name: "bob", Via: "oidc", Subject: "1"}
	taker = audit.Who{Name: "bob", Via: "oidc", Subject: "2"}
)

// tell adds entries of about a kilobyte of somebody.
func tell(t *testing.T, s *Store, who audit.Who, n int) {
	t.Helper()
	for range n {
		e := anEntry(1)
		e.Who, e.Message = who, strings.Repeat("x", 700)
		if _, err := s.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// ofEach counts entries by whose they are.
func ofEach(t *testing.T, s *Store) map[audit.Who]int {
	t.Helper()
	list, err := s.Audit(t.Context(), AuditQuery{Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	out := map[audit.Who]int{}
	for _, e := range list {
		out[e.Who]++
	}
	return out
}

// Whoever adds very many entries loses their own, also where somebody else has
// their name; what others did stays, and the chain tells of what is gone.
func TestPeopleShareTheRoomOfTheAudit(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		now := at
		s := quiet(t, Options{URL: url, Key: key, Now: func() time.Time { return now }, Limits: Limits{AuditAge: 60 * time.Hour, AuditBytes: 100 << 10}})
		ann, engine := audit.Who{Name: "ann", Via: "local"}, audit.Who{Name: audit.Engine}
		tell(t, s, bob, 3)
		tell(t, s, engine, 2)
		for range 2 { // the second time beside what went the first time
			tell(t, s, taker, 100)
			tell(t, s, ann, 2)
			tell(t, s, taker, 100)
			before, err := s.VerifyAudit(t.Context(), "")
			if err == nil {
				err = s.PruneAudit(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			if r, err := s.VerifyAudit(t.Context(), before.Hash); err != nil || r.First != 1 {
				t.Fatalf("the chain is %+v, %v", r, err)
			}
		}
		if size, err := s.auditSize(t.Context()); err != nil || size > 100<<10 {
			t.Errorf("it has %d bytes, %v", size, err)
		}
		has := ofEach(t, s)
		if has[bob] != 3 || has[ann] != 4 || has[engine] != 2+2 || has[taker] < 40 || has[taker] > 100 {
			t.Errorf("there are %v", has)
		}
		list, err := s.Audit(t.Context(), AuditQuery{Verb: "prune", Limit: 10})
		if err != nil || len(list) != 2 || len(list[0].Gaps) == 0 || list[0].Checkpoint != nil || !strings.HasSuffix(list[0].Reason, "of who has most: bob") {
			t.Errorf("what vouches for it is %+v, %v", list, err)
		}
		t.Run("and may be exported", func(t *testing.T) { exportHolds(t, s) })
		t.Run("and goes by its age", func(t *testing.T) {
			now = now.Add(70 * time.Hour)
			tell(t, s, ann, 1)
			if err := s.PruneAudit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r, err := s.VerifyAudit(t.Context(), ""); err != nil || r.Entries != 2 {
				t.Errorf("the chain is %+v, %v", r, err)
			}
		})
	})
}

func exportHolds(t *testing.T, s *Store) {
	t.Helper()
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
	if _, end := v.End(); err != nil || end != nil {
		t.Errorf("the export is %v, %v", err, end)
	}
}

// A checkpoint before which some are gone from the middle names the last of these.
func TestOldestGoUpToAGap(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		now := at
		s := quiet(t, Options{URL: url, Key: key, Now: func() time.Time { return now }, Limits: Limits{AuditAge: 60 * time.Hour, AuditBytes: 50 << 10}})
		tell(t, s, bob, 3)
		now = now.Add(50 * time.Hour)
		tell(t, s, taker, 100)
		if err := s.PruneAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = now.Add(13 * time.Hour) // bob's are too old, and others are not
		if err := s.PruneAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := s.VerifyAudit(t.Context(), "")
		if err != nil || r.First < 10 || ofEach(t, s)[bob] != 0 || ofEach(t, s)[taker] == 0 {
			t.Errorf("the chain is %+v, %v, with %v", r, err, ofEach(t, s))
		}
	})
}

// Nothing more may be missing than what a gap names, and engines of before have
// noted nobody's share.
func TestGapsVouchForNoMore(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := quiet(t, Options{URL: url, Key: key, Limits: Limits{AuditBytes: 50 << 10}})
		tell(t, s, bob, 3)
		tell(t, s, taker, 100)
		if err := s.PruneAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		tamper(t, s, `UPDATE audit SET account = '' WHERE sequence = 2`)
		if _, err := s.VerifyAudit(t.Context(), ""); err != nil {
			t.Errorf("an entry of nobody's share: %v", err)
		}
		tamper(t, s, `UPDATE audit SET account = 'person/local/ann' WHERE sequence = 2`)
		if _, err := s.VerifyAudit(t.Context(), ""); brokenAt(err) != 2 {
			t.Errorf("an entry of another's share: %v", err)
		}
		tamper(t, s, `DELETE FROM audit WHERE sequence = 2`)
		if _, err := s.VerifyAudit(t.Context(), ""); brokenAt(err) != 2 {
			t.Errorf("an entry that is gone from the middle: %v", err)
		}
	})
}

// What was written before there were shares goes as the oldest does.
func TestAuditWithoutShares(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := quiet(t, Options{URL: url, Key: key, Limits: Limits{AuditBytes: 50 << 10}})
		tell(t, s, bob, 60)
		tamper(t, s, `UPDATE audit SET account = ''`)
		tell(t, s, taker, 5)
		if err := s.PruneAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := s.VerifyAudit(t.Context(), ""); err != nil || r.First == 1 || ofEach(t, s)[taker] != 5 {
			t.Errorf("the chain is %+v, %v, with %v", r, err, ofEach(t, s))
		}
	})
}

// Of what another engine deletes at the same time nothing is vouched for twice.
func TestGapsOfSeveralEngines(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := quiet(t, Options{URL: url, Key: key})
		tell(t, s, taker, 10)
		for _, runs := range [][]audit.Gap{{{From: 2, Through: 4}}, {{From: 2, Through: 4}}, {{From: 4, Through: 6}, {From: 5, Through: 7}}} {
			if err := s.atEnd(t.Context(), func(tx *transaction, last int64, hash string) error {
				return s.thin(context.WithoutCancel(t.Context()), tx, slices.Clone(runs), "why", last, hash)
			}); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := s.VerifyAudit(t.Context(), ""); err != nil || r.Entries != 10-3-3+2 || r.Last != 12 {
			t.Errorf("the chain is %+v, %v", r, err)
		}
	})
}

// Two who take turns, of whom one has less than a share, keep no more.
func TestTurnsKeepNoMore(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := quiet(t, Options{URL: url, Key: key, Limits: Limits{AuditBytes: 100 << 10}})
		ann := audit.Who{Name: "ann", Via: "local"}
		tell(t, s, ann, 3)
		for range 80 {
			tell(t, s, taker, 1)
			e := anEntry(1)
			e.Who = bob
			if _, err := s.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.PruneAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		has := ofEach(t, s)
		if r, err := s.VerifyAudit(t.Context(), ""); err != nil || r.First != 1 || has[ann] != 3 || has[bob] != 80 || has[taker] > 75 {
			t.Errorf("the chain is %+v, %v, with %v", r, err, has)
		}
	})
}
