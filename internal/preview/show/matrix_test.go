package show

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// group has applications, each as name@cluster.
func group(change forecast.Change, risks int, applications ...string) forecast.Group {
	g := forecast.Group{Change: change, Risks: make([]forecast.Risk, risks)}
	for _, a := range applications {
		name, cluster, _ := strings.Cut(a, "@")
		g.Applications = append(g.Applications, forecast.Application{Name: name, Cluster: cluster})
	}
	return g
}

// drawnMatrix is a picture in letters: a, c and r for changes, in capitals with a risk.
func drawnMatrix(m matrix) []string {
	out := []string{strings.Join(m.Clusters, " ")}
	for _, r := range m.Rows {
		var b strings.Builder
		for _, c := range r.Cells {
			letter := "."
			if c.Change != "" {
				letter = string(c.Change[:1])
			}
			if c.Risk {
				letter = strings.ToUpper(letter)
			}
			b.WriteString(letter)
		}
		out = append(out, r.Name+" "+b.String())
	}
	return out
}

func TestWhatChangesWhere(t *testing.T) {
	cases := map[string]struct {
		reason   string
		clusters []string
		groups   []forecast.Group
		want     []string
	}{
		"Nothing": {"clusters on which nothing changes are there", []string{"b", "a"}, nil, []string{"a b"}},
		"Sets":    {"applications of one set are one row, whichever side the cluster's name is on", []string{"dev", "prod"}, []forecast.Group{group(forecast.Changed, 0, "web-dev@dev", "prod-web@prod")}, []string{"dev prod", "web cc"}},
		"Alone":   {"one that is called as its cluster has a row of its own", []string{"dev"}, []forecast.Group{group(forecast.Added, 0, "dev@dev", "web@dev")}, []string{"dev", "dev a", "web a"}},
		"Order":   {"rows with the most changes first, then by name", []string{"a", "b"}, []forecast.Group{group(forecast.Changed, 0, "z@a", "y@a", "x@a", "x@b")}, []string{"a b", "x cc", "y c.", "z c."}},
		"Both":    {"of two in one place the one with a risk is shown", []string{"a"}, []forecast.Group{group(forecast.Removed, 1, "web@a"), group(forecast.Added, 0, "web@a")}, []string{"a", "web R"}},
		"BothNow": {"whichever comes first", []string{"a"}, []forecast.Group{group(forecast.Added, 0, "web@a"), group(forecast.Removed, 1, "web@a")}, []string{"a", "web R"}},
		"Strange": {"a cluster that was not looked at has a column, too", []string{"b"}, []forecast.Group{group(forecast.Changed, 0, "web@a")}, []string{"a b", "web c."}},
		"Part":    {"a name that only ends like a cluster's", []string{"eu"}, []forecast.Group{group(forecast.Changed, 0, "museum-neu@eu")}, []string{"eu", "museum-neu c"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, drawnMatrix(newMatrix(&forecast.Forecast{Clusters: tc.clusters, Groups: tc.groups}))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Clusters on which something changes come before those that are only there.
func TestPicturesAreBounded(t *testing.T) {
	f := &forecast.Forecast{}
	for i := range maxMatrix + 20 {
		f.Clusters = append(f.Clusters, fmt.Sprintf("a%03d", i))
		f.Groups = append(f.Groups, group(forecast.Changed, 0, fmt.Sprintf("app-%03d@z", i)))
	}
	m := newMatrix(f)
	if len(m.Clusters) != maxMatrix || m.Clusters[maxMatrix-1] != "z" || len(m.Rows) != maxMatrix || m.More != 20 {
		t.Errorf("%d columns up to %s, %d rows and %d more", len(m.Clusters), m.Clusters[len(m.Clusters)-1], len(m.Rows), m.More)
	}
	page := render(t, HTML, f, Options{})
	if !strings.Contains(page, "and 20 more rows") {
		t.Error("the page does not tell how many rows are left out")
	}
	f.Groups = f.Groups[:3]
	if page := render(t, HTML, f, Options{}); strings.Contains(page, "more row") {
		t.Error("the page tells of rows that are not left out")
	}
}

func TestThePictureOfAllApplications(t *testing.T) {
	parts := bar(forecast.Summary{Added: 1, Changed: 2, Unknown: 1, Unchanged: 4})
	var got []string
	for _, p := range parts {
		got = append(got, fmt.Sprintf("%s %d at %g, %g wide", p.Class, p.N, p.X, p.Width))
	}
	want := []string{"added 1 at 0, 125 wide", "changed 2 at 125, 250 wide", "removed 0 at 375, 0 wide", "unknown 1 at 375, 125 wide", "same 4 at 500, 500 wide"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := bar(forecast.Summary{}); got != nil {
		t.Errorf("of no applications there is no picture: %v", got)
	}
}

func TestRisksOfAPageLeadToTheirGroups(t *testing.T) {
	f := &forecast.Forecast{Groups: []forecast.Group{group(forecast.Changed, 0, "a@x"), group(forecast.Removed, 2, "b@x")}}
	f.Groups[1].Title = "b on x"
	for i := range f.Groups[1].Risks {
		f.Groups[1].Risks[i] = forecast.Risk{Kind: forecast.RiskDeletion, Object: fmt.Sprint("Namespace n", i), Message: "gone"}
	}
	page := render(t, HTML, f, Options{})
	for _, want := range []string{"Namespace n0", "Namespace n1", `gone <a href="#g1">b on x</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
