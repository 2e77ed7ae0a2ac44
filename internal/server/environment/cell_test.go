package environment

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// run is an Application that was synced at a time.
func run(name, version string, at int64) *view.Row {
	r := row(name, "c", version, nil)
	r.Synced = time.Unix(at, 0)
	return r
}

// In a cell the version counts that most run, and of those that run it the one that was synced
// last, whatever the order in which they come.
func TestWhoStandsForACell(t *testing.T) {
	for name, tc := range map[string]struct {
		reason        string
		rows          []*view.Row
		want, version string
		versions      int
	}{
		"Most":      {"most of them", []*view.Row{run("a", "2", 9), run("b", "1", 1), run("c", "1", 2)}, "c", "1", 2},
		"As many":   {"of two that as many run, the one that was synced last", []*view.Row{run("a", "2", 1), run("b", "1", 2)}, "b", "1", 2},
		"At once":   {"else the greater one, so that it is always the same", []*view.Row{run("a", "1", 1), run("b", "2", 1)}, "b", "2", 2},
		"Same":      {"of equals the first by name", []*view.Row{run("b", "1", 1), run("a", "1", 1)}, "a", "1", 1},
		"Unknown":   {"of which no version is known is one, too", []*view.Row{run("a", "", 1), run("b", "", 2), run("c", "1", 3)}, "b", "main", 2},
		"Never":     {"what was never synced", []*view.Row{{Name: "a"}}, "a", "", 1},
		"No source": {"and what has no source at all", []*view.Row{{Name: "a"}, {Name: "b"}, run("c", "1", 9)}, "a", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				slices.Reverse(tc.rows)
				last, cell := Latest(tc.rows), cellOf(slices.Clone(tc.rows))
				if last.Name != tc.want || cell.Version != tc.version || cell.Versions != tc.versions || cell.Of.Name != tc.want {
					t.Errorf("%s: it is %s at %q of %d, of %v; want %s at %q of %d", tc.reason, last.Name, cell.Version, cell.Versions, cell.Of, tc.want, tc.version, tc.versions)
				}
			}
		})
	}
}

// What an Application runs is what was synced, of the chart if it has one; only what was never
// synced runs what it was compared with, or asks for.
func TestVersionOfAnApplication(t *testing.T) {
	git, chart := view.Source{RepoURL: "https://git", Target: "main", Revision: "abc"}, view.Source{RepoURL: "https://charts", Chart: "web", Target: "1.*", Revision: "1.2.0"}
	fresh := view.Source{RepoURL: "https://git", Target: "main"}
	for name, tc := range map[string]struct {
		reason          string
		sources         []view.Source
		deployed        []string
		version, values string
	}{
		"Deployed":   {"what was synced", []view.Source{git}, []string{"old"}, "old", ""},
		"Compared":   {"else what it was compared with", []view.Source{git}, nil, "abc", ""},
		"Asked for":  {"else what it asks for", []view.Source{fresh}, []string{""}, "main", ""},
		"Chart":      {"the chart counts, and what is in Git beside it are its values", []view.Source{git, chart}, []string{"a", "1.1.0"}, "1.1.0", "a"},
		"Two of Git": {"without a chart the first counts, and there are no values", []view.Source{git, fresh}, []string{"a", "b"}, "a", ""},
		"Added":      {"a source that is newer than the last sync runs what it was compared with", []view.Source{git, chart}, []string{"a"}, "1.2.0", "a"},
		"Nothing":    {"no source has no version", nil, []string{"a"}, "", ""},
	} {
		r := &view.Row{Sources: tc.sources, Deployed: tc.deployed}
		if values, _ := valuesOf(r); Version(r) != tc.version || values != tc.values {
			t.Errorf("%s: %s: it runs %q with values of %q, want %q and %q", name, tc.reason, Version(r), values, tc.version, tc.values)
		}
	}
}

// A cell shows the worst of all that it has, and no more of them than anybody reads.
func TestCellsShowTheWorst(t *testing.T) {
	rows := make([]*view.Row, 0, 30)
	for n := range 30 {
		r := run(fmt.Sprintf("app-%02d", n), "1", int64(n))
		r.Images = strings.Split("a b c d e f", " ")
		rows = append(rows, r)
	}
	rows[7].Sync, rows[9].Sync, rows[20].Sync, rows[3].Health = "Unknown", "OutOfSync", "Unknown", "Missing"
	cell := cellOf(rows)
	if cell.Sync != "OutOfSync" || cell.Health != "Missing" || cell.Applications[0].Name != "app-03" || cell.Applications[1].Name != "app-29" {
		t.Errorf("it is %s and %s, and begins with %v", cell.Sync, cell.Health, cell.Applications[:2])
	}
	if cell.Count != 30 || len(cell.Applications) != mostApplications || len(cell.Images) != mostImages {
		t.Errorf("of %d it shows %d, with %d images", cell.Count, len(cell.Applications), len(cell.Images))
	}
	if cell := cellOf([]*view.Row{{Sync: "Synced"}, {Sync: "Unknown"}}); cell.Sync != "Unknown" {
		t.Errorf("of which one is not known it is %s", cell.Sync)
	}
}

// An environment is behind the nearest one before it in which the product runs, where that runs
// something else.
func TestWhatIsBehind(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		runs   map[string]string // versions by environment, several apart by blanks
		want   map[string]string
	}{
		"Alike":     {"all run the same", map[string]string{"dev": "1", "test": "1", "prod": "1"}, map[string]string{}},
		"Last":      {"the one before it counts, and no earlier one", map[string]string{"dev": "2", "test": "1", "prod": "1"}, map[string]string{"test": "dev"}},
		"Between":   {"also where it runs what the first does", map[string]string{"dev": "1", "test": "2", "prod": "1"}, map[string]string{"test": "dev", "prod": "test"}},
		"Skipped":   {"one in which it does not run is passed over", map[string]string{"dev": "2", "prod": "1"}, map[string]string{"prod": "dev"}},
		"Partly":    {"some of it is behind", map[string]string{"dev": "2", "prod": "2 2 1"}, map[string]string{"prod": "dev"}},
		"Before":    {"that the one before is in two minds leaves it no one to be behind", map[string]string{"dev": "2 2 1", "prod": "2"}, map[string]string{}},
		"Unlabeled": {"what has no environment comes after none", map[string]string{"dev": "2", "": "1"}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Fleet{Visible: all}
			for env, versions := range tc.runs {
				for n, version := range strings.Fields(versions) {
					r := row(fmt.Sprint("web-", n), "c", version, map[string]string{"env": env, productLabel: "web"})
					f.Rows = append(f.Rows, r)
				}
			}
			got := map[string]string{}
			for env, cell := range f.Matrix(Query{Limit: 1}).Items[0].Cells {
				if cell.Behind != "" {
					got[env] = cell.Behind
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// One matrix is told to many, each by what they may know: nobody changes it for another one.
func TestTellingChangesNoMatrix(t *testing.T) {
	m := (&Fleet{Rows: []*view.Row{row("own", "c", "abc", nil)}, Visible: all}).Matrix(Query{Limit: 10})
	told := m.Told(map[history.CommitOf]history.Commit{commitOf("own", "abc"): {Author: "Mina"}})
	if told.Items[0].Cells[None].Author != "Mina" || m.Items[0].Cells[None].Author != "" {
		t.Errorf("told is %+v, and then there is %+v", told.Items[0].Cells, m.Items[0].Cells)
	}
}
