package store

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
)

// ofProject is a change of a sync.
func ofProject(name string) func(*history.Sync) { return func(s *history.Sync) { s.Project = name } }

// TestProjectsShareTheRoom has one team sync much, and another one little.
func TestProjectsShareTheRoom(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		now := at.Add(time.Hour)
		s := opened(t, Options{URL: url, Key: key, Limits: Limits{Bytes: 1 << 20}, Now: func() time.Time { return now }})
		put := func(one history.Sync, kib int) history.Sync {
			s.Rendering(rendering(one.Rendering, noise(int(one.Started.Unix()), kib<<10)))
			s.Sync(one)
			return one
		}
		var small []history.Sync
		for n := range 4 { // the oldest of all
			small = append(small, put(aSync("blue", n, ofProject("blue")), 10))
		}
		for n := range 30 {
			put(aSync(fmt.Sprint("red-", n%3), n+10, ofProject("red")), 100)
		}
		s.flush(t.Context())
		eventually(t, "it is pruned although nobody asked", func() bool { return s.Stats().Bytes > 0 && !s.full() })
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Stats().Bytes; got > 1<<20 || got < 1<<19 {
			t.Errorf("%d bytes are left", got)
		}
		for _, one := range small {
			if _, err := s.Kept(t.Context(), one.ID); err != nil {
				t.Errorf("who takes little has lost a sync: %v", err)
			}
		}
		if list, err := s.List(t.Context(), "argocd", "red-2", 100); err != nil || len(list) == 0 || !list[0].Started.Equal(at.Add(39*time.Minute)) {
			t.Errorf("the newest sync of who takes much is gone: %+v, %v", list, err)
		}
	})
}

// TestGoodSyncsGoLast has a project with more than it may take.
func TestGoodSyncsGoLast(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key, Limits: Limits{Bytes: 200 << 10}, Now: func() time.Time { return at.Add(time.Hour) }})
		good := aSync("web", 0, ofProject("red"))
		s.Rendering(rendering(good.Rendering))
		s.Sync(good)
		for n := range 8 {
			bad := aSync("web", n+1, ofProject("red"), func(s *history.Sync) { s.Phase = "Failed" })
			s.Rendering(rendering(bad.Rendering, noise(n, 50<<10)))
			s.Sync(bad)
		}
		s.flush(t.Context())
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Kept(t.Context(), good.ID); err != nil {
			t.Errorf("the last good sync went before those that failed: %v", err)
		}
		if got := s.Stats().Bytes; got > 200<<10 {
			t.Errorf("%d bytes are left", got)
		}
	})
}

// TestTooLargeGoes has a sync that is too large by itself.
func TestTooLargeGoes(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key, Limits: Limits{Bytes: 100}, Now: func() time.Time { return at.Add(time.Hour) }})
		one := aSync("web", 0, ofProject("red"))
		s.Rendering(rendering(one.Rendering, noise(1, 50<<10)))
		s.Sync(one)
		s.flush(t.Context())
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if list, err := s.List(t.Context(), "argocd", "web", 10); err != nil || len(list) > 0 {
			t.Errorf("%d syncs are left where there is no room for one, %v", len(list), err)
		}
	})
}

// TestSyncsThatRunTakeNoMore: one that is tried again without end takes no room from others.
func TestSyncsThatRunTakeNoMore(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key, Limits: Limits{Bytes: 200 << 10}, Now: func() time.Time { return at.Add(time.Hour) }})
		good := aSync("web", 0, ofProject("blue"))
		s.Rendering(rendering(good.Rendering))
		s.Sync(good)
		for n := range 8 {
			s.Sync(aSync(fmt.Sprint("red-", n), n+1, ofProject("red"), func(s *history.Sync) { s.Phase, s.Message = "Running", noise(n, 100<<10) }))
		}
		s.flush(t.Context())
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Stats().Bytes; got > 200<<10 {
			t.Errorf("%d bytes are left", got)
		}
		if _, err := s.Kept(t.Context(), good.ID); err != nil {
			t.Errorf("a sync of another project is gone: %v", err)
		}
	})
}

// TestGoodSyncsLeaveRoomForCommits: with what is known of commits, the last good syncs
// alone are too much.
func TestGoodSyncsLeaveRoomForCommits(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key, Limits: Limits{Bytes: 200 << 10}, Now: func() time.Time { return at.Add(time.Hour) }})
		for n := range 15 { // they fit into a quarter
			s.Step(history.Step{
				App: history.App{Namespace: "argocd", Name: "blue"}, Project: "blue", Commits: []history.Commit{commitOf(fmt.Sprint("b", n), at)}, State: history.StepFailed, Stage: history.Rendered, At: at,
				Message: noise(n, history.MostMessage),
			})
		}
		for n := range 24 {
			s.Sync(aSync(fmt.Sprint("red-", n), n, ofProject("red"), func(s *history.Sync) { s.Message = noise(n, 20<<10) }))
		}
		s.flush(t.Context())
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Stats().Bytes; got > 200<<10 || got < 150<<10 {
			t.Errorf("%d bytes are left", got)
		}
		if list, err := s.Commits(t.Context(), history.CommitQuery{Limit: 100}); err != nil || len(list) != 15 {
			t.Errorf("%d commits are left: %v", len(list), err)
		}
	})
}

func TestLevel(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		takes  []int64
		all    int64
		want   int64
	}{
		"Fits":   {"all have room", []int64{10, 20, 30}, 60, math.MaxInt64},
		"One":    {"one that has all may take all", []int64{100}, 60, 60},
		"Equal":  {"who take the same have the same", []int64{40, 40, 40}, 60, 20},
		"Little": {"who takes little leaves the rest", []int64{100, 10, 100}, 60, 25},
		"None":   {"there is nothing to share", []int64{10, 20}, -5, 0},
		"Nobody": {"nor anybody", nil, 60, math.MaxInt64},
	} {
		if got := level(c.takes, c.all); got != c.want {
			t.Errorf("%s: %s: got %d, want %d", name, c.reason, got, c.want)
		}
	}
}
