package show

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

func TestVerdicts(t *testing.T) {
	counts := func(added, changed, removed, unchanged, unknown int) forecast.Summary {
		return forecast.Summary{Added: added, Changed: changed, Removed: removed, Unchanged: unchanged, Unknown: unknown}
	}
	of := func(s forecast.Summary) *forecast.Forecast {
		return &forecast.Forecast{Summary: s, Head: forecast.Side{Applications: s.Added + s.Changed + s.Unchanged}, Clusters: []string{"a"}}
	}
	cases := map[string]struct {
		reason string
		of     func() *forecast.Forecast
		want   string
	}{
		"Nothing": {"nothing changes, of so many", func() *forecast.Forecast { return of(counts(0, 0, 0, 2, 0)) }, "Nothing changes: 2 applications on 1 cluster"},
		"Empty":   {"there is nothing to count", func() *forecast.Forecast { return &forecast.Forecast{} }, "Nothing changes"},
		"Unknown": {"nobody knows of all that nothing changes", func() *forecast.Forecast { return of(counts(0, 0, 0, 1, 1)) }, "Nothing is known to change: 1 application on 1 cluster; 1 cannot be determined"},
		"One":     {"one of one", func() *forecast.Forecast { return of(counts(1, 0, 0, 0, 0)) }, "1 of 1 application change (1 added)"},
		"Each":    {"what is none is not counted", func() *forecast.Forecast { return of(counts(1, 0, 3, 4, 2)) }, "4 of 10 applications change (1 added, 3 removed); 2 cannot be determined"},
		"NewTrouble": {"new failures keep from saying that nothing changes, old ones do not", func() *forecast.Forecast {
			f := of(counts(0, 0, 0, 1, 0))
			f.Failures = []forecast.Finding{{New: true}, {}}
			f.Warnings = []forecast.Finding{{New: true}, {New: true}, {}}
			return f
		}, "Nothing is known to change: 1 application on 1 cluster; 1 new failure; 2 new warnings"},
		"OldTrouble": {"old failures change nothing", func() *forecast.Forecast {
			f := of(counts(0, 0, 0, 1, 0))
			f.Failures = []forecast.Finding{{}}
			return f
		}, "Nothing changes: 1 application on 1 cluster"},
		"Sources": {"what cannot be read", func() *forecast.Forecast {
			f := of(counts(0, 0, 0, 0, 0))
			f.Missing = []forecast.Missing{{}, {}}
			return f
		}, "Nothing is known to change; 2 sources cannot be read"},
		"Objects": {"objects and risks of all groups", func() *forecast.Forecast {
			f := of(counts(0, 2, 0, 0, 0))
			f.Summary.Objects.Added, f.Summary.Objects.Removed = 4, 1
			f.Groups = []forecast.Group{{Risks: make([]forecast.Risk, 2)}, {Risks: make([]forecast.Risk, 1)}}
			return f
		}, "2 of 2 applications change (2 changed); objects +4 -1; 3 risks"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, verdict(tc.of())); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestImageChanges(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef"
	cases := map[string]struct {
		reason, old, head string
		long, brief       string
	}{
		"Tag":        {"the repository once", "a/web:1.0", "a/web:1.1", "a/web 1.0 → 1.1", "web 1.0 → 1.1"},
		"NoTag":      {"without a tag it is the latest", "web", "web:1.1", "web latest → 1.1", "web latest → 1.1"},
		"Port":       {"a port is no tag", "reg:5000/a/web", "reg:5000/a/web:2", "reg:5000/a/web latest → 2", "web latest → 2"},
		"Digest":     {"of a digest the beginning", "web" + digest, "web@sha256:fedcba9876543210", "web sha256:0123456789ab → sha256:fedcba987654", "web sha256:0123456789ab → sha256:fedcba987654"},
		"TagDigest":  {"of both both", "web:1.0" + digest, "web:1.1" + digest, "web 1.0@sha256:0123456789ab → 1.1@sha256:0123456789ab", "web 1.0@sha256:0123456789ab → 1.1@sha256:0123456789ab"},
		"Short":      {"a digest that is none", "web@x", "web@y", "web x → y", "web x → y"},
		"Repository": {"another repository is whole", "a/web:1", "b/web:1", "a/web:1 → b/web:1", "web:1 → b/web:1"},
		"Comes":      {"one that comes", "", "a/web:1", "+a/web:1", "+web:1"},
		"ComesBare":  {"one without a folder", "", "web:1", "+web:1", "+web:1"},
		"Goes":       {"one that goes", "reg:5000/web", "", "-reg:5000/web", "-web"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			image := forecast.Image{Old: tc.old, New: tc.head}
			if long, short := imageChange(image), brief(image); long != tc.long || short != tc.brief {
				t.Errorf("%s: %q, in brief %q", tc.reason, long, short)
			}
		})
	}
	if got := images(forecast.Group{Images: []forecast.Image{{New: "a/b:1"}, {New: "c"}, {New: "d"}}}); got != "+b:1 and 2 more" {
		t.Errorf("of several images is told %q", got)
	}
}

func TestSidesOfAComparison(t *testing.T) {
	const commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
	cases := map[string]struct {
		reason string
		side   forecast.Side
		want   string
	}{
		"Branch": {"a name with its commit", forecast.Side{Revision: "main", Commit: commit}, "main (1a2b3c4)"},
		"Commit": {"a commit is told once", forecast.Side{Revision: commit, Commit: commit}, commit},
		"Short":  {"in short, too", forecast.Side{Revision: "1a2b3c4d5", Commit: commit}, "1a2b3c4d5"},
		"Folder": {"what is no commit", forecast.Side{Revision: "the working tree"}, "the working tree"},
		"Bare":   {"a commit without a name", forecast.Side{Commit: commit}, "1a2b3c4"},
		"Tiny":   {"a commit that is none", forecast.Side{Revision: "x", Commit: "1a2"}, "x (1a2)"},
		"None":   {"nothing is known", forecast.Side{}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := side(tc.side); got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
	for form, write := range map[string]form{"table": Table, "tree": Tree, "markdown": Markdown} {
		if got := render(t, write, &forecast.Forecast{}, Options{}); strings.Contains(got, "→") {
			t.Errorf("the %s of nothing compares nothing: %q", form, got)
		}
	}
}

func TestPlacesOfCausesAndFindings(t *testing.T) {
	causes := map[string]struct {
		reason string
		cause  forecast.Cause
		want   string
	}{
		"Line":    {"the line stands behind the file", forecast.Cause{What: "values/prod.yaml: replicas 2 → 3", File: "values/prod.yaml", Line: 12}, "values/prod.yaml:12: replicas 2 → 3"},
		"NoLine":  {"a file that is named already", forecast.Cause{What: "apps/a.yaml is new", File: "apps/a.yaml"}, "apps/a.yaml is new"},
		"Behind":  {"one that is not named", forecast.Cause{What: "replicas 2 → 3", File: "values.yaml", Line: 3}, "replicas 2 → 3 (values.yaml:3)"},
		"Within":  {"one that is named within", forecast.Cause{What: "set x of sets/a.yaml", File: "sets/a.yaml", Line: 3}, "set x of sets/a.yaml (sets/a.yaml:3)"},
		"NoFile":  {"without a place", forecast.Cause{What: "cluster prod is new"}, "cluster prod is new"},
		"Nowhere": {"a line of no file is none", forecast.Cause{What: "cluster prod is new", Line: 3}, "cluster prod is new"},
	}
	for name, tc := range causes {
		t.Run(name, func(t *testing.T) {
			if got := causeText(tc.cause); got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
	findings := map[string]struct {
		reason  string
		finding forecast.Finding
		want    string
	}{
		"All":  {"what, where and on which clusters", forecast.Finding{Subject: "Application argocd/a", File: "a.yaml", Line: 3, Clusters: []string{"x", "y", "z"}}, "Application argocd/a, a.yaml:3, on x, y, z"},
		"Many": {"the first of many", forecast.Finding{Clusters: []string{"w", "x", "y", "z"}}, "on w, x and 2 more clusters"},
		"None": {"nothing is known", forecast.Finding{Line: 3}, ""},
	}
	for name, tc := range findings {
		t.Run("finding "+name, func(t *testing.T) {
			if got := where(tc.finding); got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}

// New findings come first, and are marked; otherwise their order stays.
func TestNewFindingsComeFirst(t *testing.T) {
	f := &forecast.Forecast{Failures: []forecast.Finding{{Reason: "Old1"}, {Reason: "New1", New: true}, {Reason: "Old2"}, {Reason: "New2", New: true}}}
	f.Warnings = []forecast.Finding{{Reason: "OldW"}, {Reason: "NewW", New: true}}
	table := render(t, Table, f, Options{})
	var order []string
	for _, word := range strings.FieldsFunc(table, func(r rune) bool { return strings.ContainsRune(" \n:*", r) }) {
		if strings.HasPrefix(word, "Old") || strings.HasPrefix(word, "New") {
			order = append(order, word)
		}
	}
	if diff := cmp.Diff([]string{"New1", "New2", "Old1", "Old2", "NewW"}, order); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.Contains(table, "* new: New1") || !strings.Contains(table, "1 warning as before: causeway lint shows them") {
		t.Errorf("new ones are not marked, or those of before not counted:\n%s", table)
	}
	comment := render(t, Markdown, f, Options{})
	for _, want := range []string{"### New failures\n\n- **New1** \n- **New2** \n", "<details><summary>Failures that were there before (2)</summary>\n\n- **Old1** \n", "### New warnings\n\n- **NewW** \n", "<summary>Warnings that were there before (1)</summary>"} {
		if !strings.Contains(comment, want) {
			t.Errorf("%q is missing in\n%s", want, comment)
		}
	}
}
