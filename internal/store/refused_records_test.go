package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestRefusedEntryHoldsUpNobody: an entry that the database refuses, or that cannot be
// written at all, is lost alone.
func TestRefusedEntryHoldsUpNobody(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key})
		db, err := s.writing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		refuse := `CREATE TRIGGER refuse BEFORE INSERT ON syncs WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'refused'); END`
		if s.place.postgres {
			refuse = `ALTER TABLE syncs ADD CONSTRAINT refuse CHECK (name <> 'bad')`
		}
		if err := s.do(t.Context(), db, refuse); err != nil {
			t.Fatal(err)
		}
		good, late := aSync("web", 1), aSync("web", 2)
		broken := aSync("broken", 1, func(s *history.Sync) { s.Sources = json.RawMessage("{") })
		batch := []history.Sync{good, aSync("bad", 1), broken, late}
		var items []item
		for i := range batch {
			items = append(items, item{sync: &batch[i]})
		}
		if err := s.write(t.Context(), items); err != nil {
			t.Fatalf("the batch fails: %v", err)
		}
		for _, one := range []history.Sync{good, late} {
			if _, err := s.Get(t.Context(), one.ID); err != nil {
				t.Errorf("what another team did is lost: %v", err)
			}
		}
		if got := s.Stats(); got.Lost != 2 || got.Written != 2 || s.written.has(broken.ID) {
			t.Errorf("%d are lost and %d written", got.Lost, got.Written)
		}
	})
}

// TestTextsThatNoDatabaseTakes: a message is what others wrote.
func TestTextsThatNoDatabaseTakes(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Store) {
		commit := commitOf("a", at)
		commit.Subject = "caf\xe9\x00"
		s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "web"}, Commits: []history.Commit{commit}, State: history.StepFailed, Stage: history.Rendered, At: at, Message: "no\x00thing \xff"})
		if st := only(t, s, "a"); st.Message != "no\uFFFDthing \uFFFD" {
			t.Errorf("it says %q", st.Message)
		}
		if got := s.Stats(); got.Lost != 0 {
			t.Errorf("%d are lost", got.Lost)
		}
	})
}

// TestQueueCountsAllItsBytes: whatever waits for a database that is away takes memory.
func TestQueueCountsAllItsBytes(t *testing.T) {
	large := strings.Repeat("x", queueBytes/64)
	for name, put := range map[string]func(s *Store){
		"sync": func(s *Store) { s.Sync(aSync("web", 1, func(one *history.Sync) { one.Message = large })) },
		"waves": func(s *Store) {
			s.Sync(aSync("web", 1, func(one *history.Sync) { one.Waves[0].Objects[0].Message = large }))
		},
		"health": func(s *Store) { s.Health(history.App{}, "1", []history.Change{{To: gitops.Degraded, Message: large}}) },
		"step": func(s *Store) {
			commit := commitOf("a", at)
			commit.Subject = large
			s.Step(history.Step{Commits: []history.Commit{commit}, Message: large})
		},
	} {
		s, err := New(Options{URL: t.TempDir() + "/history.db", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 { // nobody writes
			put(s)
		}
		got := s.Stats()
		if got.Lost == 0 || got.Queued > 65 || s.waiting.Load() > queueBytes+2*queueBytes/64 {
			t.Errorf("%s: %d wait with %d bytes, and %d are lost", name, got.Queued, s.waiting.Load(), got.Lost)
		}
		s.done(drained(s))
		if n := s.waiting.Load(); n != 0 {
			t.Errorf("%s: nothing waits, with %d bytes", name, n)
		}
	}
}

// drained are the items that waited.
func drained(s *Store) []item {
	var out []item
	for {
		select {
		case i := <-s.queue:
			out = append(out, i)
		default:
			return out
		}
	}
}
