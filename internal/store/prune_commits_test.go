package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
)

// TestProjectsShareCommits: one team that takes up commits without end pushes out its own.
func TestProjectsShareCommits(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Store) {
		put := func(project, app, revision string, second int) {
			now := at.Add(time.Duration(second) * time.Second)
			s.Step(history.Step{
				App: history.App{Namespace: "argocd", Name: app}, Project: project, Commits: []history.Commit{commitOf(revision, now)}, State: history.StepFailed, Stage: history.Rendered, At: now,
				Message: strings.Repeat("m", 1000),
			})
		}
		for n := range 4 { // the oldest of all
			put("blue", "blue", fmt.Sprint("b", n), n)
		}
		for n := range 30 {
			put("red", "red", fmt.Sprint("r", n), 10+n)
		}
		for n := range 20 { // one commit of many applications
			put("red", fmt.Sprint("red-", n), "wide", 50)
			put("green", fmt.Sprint("green-", n), "wide", 50)
		}
		s.flush(t.Context())
		db, err := s.writing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		count := func(query string, want int64) {
			t.Helper()
			if got, err := s.count(t.Context(), db, query); err != nil || got != want {
				t.Errorf("%s: got %d, want %d: %v", query, got, want, err)
			}
		}
		shed := func(q quota) {
			t.Helper()
			if err := s.shedSteps(t.Context(), db, q); err != nil {
				t.Fatal(err)
			}
		}
		const blue, green = `SELECT COUNT(*) FROM steps WHERE project = 'blue'`, `SELECT COUNT(*) FROM steps WHERE project = 'green'`
		const wide, commits = `SELECT COUNT(*) FROM steps WHERE revision = 'wide'`, `SELECT COUNT(*) FROM (SELECT DISTINCT repo, revision FROM steps) AS d`
		shed(quota{stepCommit, "", 35 * wholeCommit})
		count(commits, 35) // they fit
		shed(quota{stepCommit, "", 10 * wholeCommit})
		count(blue, 4)
		count(wide, 40)
		count(commits, 10)
		count(`SELECT COUNT(*) FROM steps WHERE revision = 'r29'`, 1)
		count(`SELECT COUNT(*) FROM steps WHERE revision = 'r0'`, 0)
		shed(quota{stepItself, oneByOne, 40})
		count(blue, 4)
		count(wide, 36)
		count(green, 18)
		shed(quota{stepBytes, oneByOne, 12_000})
		count(blue, 2)
		count(green, 3)
	})
}

// TestSizeCountsCommits: they take room as well.
func TestSizeCountsCommits(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Store) {
		s.Step(history.Step{App: history.App{Namespace: "argocd", Name: "web"}, Commits: []history.Commit{commitOf("a", at)}, State: history.StepFailed, Stage: history.Rendered, At: at, Message: "é" + strings.Repeat("x", 1000)})
		s.flush(t.Context())
		if err := s.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Stats().Bytes; got < 1500 || got > 3000 {
			t.Errorf("all take %d bytes", got)
		}
	})
}
