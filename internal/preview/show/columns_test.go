package show

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

func TestColumnsOfTheTable(t *testing.T) {
	long := strings.Repeat("a long cause ", 10)
	cases := map[string]struct {
		reason string
		group  forecast.Group
		width  int
		want   []string
	}{
		"Bare":   {"columns without content are not there", forecast.Group{Change: forecast.Added, Title: "web"}, 0, []string{"CHANGE   APPLICATIONS", "+ added  web"}},
		"Full":   {"each column is as wide as it has to be", forecast.Group{Change: forecast.Removed, Title: "web", Objects: make([]forecast.Object, 1), Risks: make([]forecast.Risk, 2), Images: []forecast.Image{{New: "a"}}, Causes: []forecast.Cause{{What: "x"}, {What: "z"}}}, 0, []string{"CHANGE     APPLICATIONS  RISKS  IMAGES  CAUSE", "- removed  web           2      +a      x and 1 more"}},
		"Narrow": {"causes give way before applications", forecast.Group{Change: forecast.Changed, Title: "web on 12 prod clusters", Causes: []forecast.Cause{{What: long}}}, 60, []string{"CHANGE     APPLICATIONS             CAUSE", "~ changed  web on 12 prod clusters  a long cause a long cau…"}},
		"Least":  {"narrower than any table is not", forecast.Group{Change: forecast.Changed, Title: "web on 12 prod clusters", Causes: []forecast.Cause{{What: long}}}, 1, []string{"CHANGE     APPLICATIONS      CAUSE", "~ changed  web on 12 prod …  a long cau…"}},
		"Wide":   {"wide characters take two columns", forecast.Group{Change: forecast.Changed, Title: "👍👍", Causes: []forecast.Cause{{What: "x"}}}, 0, []string{"CHANGE     APPLICATIONS  CAUSE", "~ changed  👍👍          x"}},
		"Lines":  {"a row is one line", forecast.Group{Change: forecast.Changed, Title: "a\nb"}, 0, []string{"CHANGE     APPLICATIONS", "~ changed  a b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := Options{Width: tc.width}
			_, table, _ := strings.Cut(render(t, Table, &forecast.Forecast{Groups: []forecast.Group{tc.group}}, o), "\n\n")
			table, _, _ = strings.Cut(table, "\n\n") // what is below has its own tests
			if diff := cmp.Diff(tc.want, strings.Split(strings.TrimSpace(table), "\n")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for l := range strings.SplitSeq(table, "\n") {
				if ansi.StringWidth(l) > o.width() {
					t.Errorf("a line has %d columns of %d", ansi.StringWidth(l), o.width())
				}
			}
		})
	}
}

// A text of users is a part of a line, whatever it is.
func TestTextsOfUsersInMarkdown(t *testing.T) {
	cases := map[string]struct{ reason, text, inline, code string }{
		"Plain":     {"a plain one", "web on prod", "web on prod", "`web on prod`"},
		"Marks":     {"marks of Markdown", "*a* _b_ [c](d) ~e~ |f| $g$ \\", `\*a\* \_b\_ \[c\](d) \~e\~ \|f\| \$g\$ \\`, "`*a* _b_ [c](d) ~e~ |f| $g$ \\`"},
		"Tags":      {"tags of HTML", "<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;", "`<b>&amp;</b>`"},
		"Mention":   {"nobody is told of it", "@team", "@" + zero + "team", "`@team`"},
		"Reference": {"nor is another change", "#12 !3 %4 #a", "#" + zero + "12 !" + zero + "3 %" + zero + "4 #a", "`#12 !3 %4 #a`"},
		"Backticks": {"code may have backticks", "a `b` ``c``", "a \\`b\\` \\`\\`c\\`\\`", "``` a `b` ``c`` ```"},
		"Lines":     {"lines are one", "a\nb\tc\x1b", "a b c", ""},
		"Nothing":   {"nothing is nothing", "", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := inline(tc.text)
			if name == "Lines" {
				if strings.ContainsAny(got, "\n\t\x1b") || strings.ContainsAny(code(tc.text), "\n\t\x1b") {
					t.Errorf("%s: %q and %q", tc.reason, got, code(tc.text))
				}
				return
			}
			if got != tc.inline || code(tc.text) != tc.code {
				t.Errorf("%s: %q and %q, want %q and %q", tc.reason, got, code(tc.text), tc.inline, tc.code)
			}
		})
	}
	if got := inline(strings.Repeat("é", maxInline)); len(got) > maxInline || !strings.HasSuffix(got, "é…") {
		t.Errorf("a long one is %d bytes: %.10q", len(got), got)
	}
}

// Who runs the preview by another command is told that one.
func TestCommandsThatShowTheRest(t *testing.T) {
	f := &forecast.Forecast{Groups: []forecast.Group{{Change: forecast.Added, Title: "web", Objects: []forecast.Object{{Change: forecast.Added, Kind: "K", Name: "n", Manifest: strings.Repeat("a line of it\n", 9000)}}}}}
	for command, want := range map[string]string{"": "`causeway preview --output tree` shows them", "make preview `x`": "`` make preview `x` --output tree `` shows them"} {
		got := render(t, Markdown, f, Options{Command: command, Limit: leastLimit})
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%.3000s", want, got)
		}
		if wrong := balanced(got); wrong != "" {
			t.Error(wrong)
		}
	}
}

func TestSpaceIsSharedByDifferences(t *testing.T) {
	of := func(sizes ...int) (out []section) {
		for _, s := range sizes {
			out = append(out, section{size: s})
		}
		return out
	}
	cases := map[string]struct {
		reason string
		all    []section
		budget int
		fits   bool
		want   int
	}{
		"Fit":   {"all of them fit", of(10, 20), 30, true, 0},
		"Large": {"the large one gives way", of(10, 100, 10), 60, false, 40},
		"Two":   {"two large ones get the same", of(100, 10, 90), 110, false, 50},
		"None":  {"there is no room", of(10, 10), 0, false, 0},
		"Over":  {"less than none is none", of(10), -5, false, 0},
		"Empty": {"nothing fits always", nil, 0, true, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := fair(tc.all, tc.budget)
			if tc.fits != (got > 1000) || !tc.fits && got != tc.want {
				t.Errorf("%s: %d", tc.reason, got)
			}
		})
	}
}

// Causes and applications of a group are the first of many.
func TestSectionsTellTheFirstOfMany(t *testing.T) {
	f := &forecast.Forecast{Groups: []forecast.Group{group(forecast.Changed, 1, "a@x", "b@x", "c@x")}}
	for range 9 {
		f.Groups[0].Causes = append(f.Groups[0].Causes, forecast.Cause{What: "an edit"})
	}
	for range 20 {
		f.Groups[0].Applications = append(f.Groups[0].Applications, forecast.Application{Name: "m", Cluster: "y"})
	}
	got := render(t, Markdown, f, Options{})
	if n := strings.Count(got, "- because of an edit\n"); n != 5 || !strings.Contains(got, "- … and 4 more edits\n") {
		t.Errorf("%d causes are told:\n%s", n, got)
	}
	if !strings.Contains(got, "23 applications: `a on x`, `b on x`, `c on x`, ") || strings.Count(got, "`m on y`") > 10 {
		t.Errorf("applications are told as\n%s", got)
	}
	f.Groups[0].Causes = f.Groups[0].Causes[:6]
	if got := render(t, Markdown, f, Options{}); strings.Count(got, "- because of an edit\n") != 6 {
		t.Error("a line that says that there is one more would be as long")
	}
}

// What programs read is as it was written, but for what a terminal would obey.
func TestJSONIsForProgramsAndTerminals(t *testing.T) {
	f := &forecast.Forecast{Base: forecast.Side{Revision: "a<b>&c\x1b[31m\u202e"}}
	got := render(t, JSON, f, Options{})
	if !strings.Contains(got, "a<b>&c") || strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("it is written as\n%s", got)
	}
	var back forecast.Forecast
	if err := json.Unmarshal([]byte(got), &back); err != nil || back.Base != f.Base {
		t.Errorf("it comes back as %+v, %v", back.Base, err)
	}
}
