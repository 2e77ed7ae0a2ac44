package store

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Versions of the tables: what they had at first, with the audit, with commits,
// and with whose a sync is.
const (
	versionHistory  = 1
	versionAudit    = 2
	versionChanges  = 3
	versionProjects = 4
)

// downgrade leaves the tables, with their rows, as a version before had them.
func downgrade(t *testing.T, url string, version int64) {
	t.Helper()
	p, err := parsePlace(url)
	if err != nil {
		t.Fatal(err)
	}
	db, err := p.open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	dialect, folder := database.DialectSQLite3, "migrations/sqlite"
	if p.postgres {
		dialect, folder = database.DialectPostgres, "migrations/postgres"
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(dialect, db, files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	if is, err := provider.GetDBVersion(t.Context()); err != nil || is != version {
		t.Fatalf("the tables are of version %d, %v", is, err)
	}
}

// An engine that finds the store of a version before brings its tables up to
// date, keeps what is there, and goes on with it.
func TestUpgradeKeepsWhatIsThere(t *testing.T) {
	for _, version := range []int64{versionHistory, versionAudit, versionChanges, versionProjects} {
		t.Run(fmt.Sprintf("from %d", version), func(t *testing.T) {
			each(t, func(t *testing.T, url string) { upgrade(t, url, version) })
		})
	}
}

func upgrade(t *testing.T, url string, version int64) {
	t.Helper()
	was := aSync("web", 1)
	manifests := rendering(was.Rendering)
	change := history.Change{At: at, Kind: "Deployment", Name: "web", From: gitops.Progressing, To: gitops.Healthy}
	var newest int64
	t.Run("before", func(t *testing.T) {
		s := opened(t, Options{URL: url, Key: key})
		s.Rendering(manifests)
		s.Sync(aSync("web", 0))
		s.Sync(was)
		s.Health(was.App, was.ID, []history.Change{change})
		fill(t, s, 0, 5)
		if list, err := s.List(t.Context(), "argocd", "web", 10); err != nil || len(list) != 2 {
			t.Fatalf("it is filled with %d syncs, %v", len(list), err)
		}
		var err error
		if newest, err = s.Schema(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	downgrade(t, url, version)
	s := opened(t, Options{URL: url, Key: key})
	list, err := s.List(t.Context(), "argocd", "web", 10)
	if err != nil || len(list) != 2 || list[0].ID != was.ID {
		t.Fatalf("the syncs are %+v, %v", list, err)
	}
	if is, err := s.Schema(t.Context()); err != nil || is != newest || is <= version {
		t.Errorf("the tables are of version %d, %v; want %d", is, err, newest)
	}
	kept, err := s.Kept(t.Context(), was.ID)
	if err != nil {
		t.Fatal(err)
	}
	was.Rendering = kept.Sync.Rendering // an address, which only the key tells
	manifests.Revisions, manifests.Reused = []string{"rev1"}, true
	if diff := cmp.Diff(was, kept.Sync) + cmp.Diff(manifests, kept.Rendering); diff != "" {
		t.Errorf("the sync and its manifests (-want +got):\n%s", diff)
	}
	changes, err := s.Changes(t.Context(), was.ID)
	if diff := cmp.Diff([]history.Change{change}, changes); diff != "" || err != nil {
		t.Errorf("the changes of health (-want +got): %v\n%s", err, diff)
	}
	goesOn(t, s, map[int64]int64{versionHistory: 0, versionAudit: 5, versionChanges: 5, versionProjects: 5}[version])
}

// goesOn uses what is older than the store's tables, and what is new in them:
// a chain of so many entries, and commits.
func goesOn(t *testing.T, s *Store, entries int64) {
	t.Helper()
	if report, err := s.VerifyAudit(t.Context(), ""); err != nil || report.Entries != entries {
		t.Errorf("the chain has %d entries, %v; want %d", report.Entries, err, entries)
	}
	fill(t, s, 5, 7)
	if report, err := s.VerifyAudit(t.Context(), ""); err != nil || report.Entries != entries+2 {
		t.Errorf("with two more the chain has %d entries, %v; want %d", report.Entries, err, entries+2)
	}
	next := aSync("web", 2)
	s.Sync(next)
	s.Step(history.Step{
		App: next.App, Project: "shop", Cluster: "dev", At: at, State: history.StepFailed, Stage: history.Rendered, Message: "no such field",
		Commits: []history.Commit{{RepoURL: "https://git.example.com/apps", Revision: "rev2", Author: "Ann <ann@example.com>", Subject: "More", Date: at}},
	})
	list, err := s.List(t.Context(), "argocd", "web", 10)
	if err != nil || len(list) != 3 || list[0].ID != next.ID {
		t.Errorf("with another one the syncs are %+v, %v", list, err)
	}
	commits, err := s.Commits(t.Context(), history.CommitQuery{Limit: 10})
	if err != nil || len(commits) != 1 || commits[0].Commit.Revision != "rev2" || len(commits[0].Steps) != 1 || commits[0].Steps[0].State != history.StepFailed {
		t.Errorf("the commits are %+v, %v", commits, err)
	}
}
