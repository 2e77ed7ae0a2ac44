package table

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestValuesAreShownAsTheyAreWritten: only the quotes around a text are left out, and nothing is written for a page.
func TestValuesAreShownAsTheyAreWritten(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"text":     {"it needs no quotes", "red", "red"},
		"quotes":   {"its own are part of it", `say "hi"`, `say \"hi\"`},
		"only one": {"also at its beginning", `"a`, `\"a`},
		"empty":    {"nothing is nothing", "", ""},
		"signs":    {"a shell's are no HTML", "a && b < c > d", "a && b < c > d"},
		"lines":    {"it stays one line", "a\nb", `a\nb`},
		"number":   {"as it is", 1.5, "1.5"},
		"nothing":  {"as it is", nil, "null"},
		"list":     {"texts in it have theirs", []any{"a", 1}, `["a",1]`},
		"no JSON":  {"what cannot be encoded is shown all the same", math.Inf(1), "+Inf"},
	}
	for name, c := range cases {
		if got := PlainJSON(c.value); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", name, c.reason, got, c.want)
		}
	}
	if got := CompactJSON(strings.Repeat("ж", 60)); got != strings.Repeat("ж", 47)+"…" {
		t.Errorf("a letter of two bytes is cut, or counted twice: %q", got)
	}
}

// TestRevisionsAreCutAsGitCutsThem: commits and digests, and nothing that only looks like them.
func TestRevisionsAreCutAsGitCutsThem(t *testing.T) {
	commit := strings.Repeat("abcdef01", 5)
	for revision, want := range map[string]string{
		commit: "abcdef0", "sha256:" + strings.Repeat("abcdef01", 8): "abcdef0", "1.2.3": "1.2.3", "": "", commit[:39]: commit[:39], strings.ToUpper(commit): strings.ToUpper(commit), "release/" + commit: "release/" + commit,
	} {
		if got := gitops.ShortRevision(revision); got != want {
			t.Errorf("%q is shown as %q", revision, got)
		}
	}
	app := &v1alpha1.Application{}
	if got := ShortRevision(app); got != "-" {
		t.Errorf("none is %q", got)
	}
	app.Spec.Sources = v1alpha1.ApplicationSources{{}, {}}
	app.Status.Sync.Revisions = []string{commit, "", "1.2.0"}
	if got := ShortRevision(app); got != "abcdef0,1.2.0" {
		t.Errorf("those of several sources are %q", got)
	}
}

// TestAgesHaveOneUnit, and a time that is not known has a dash.
func TestAgesHaveOneUnit(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for want, since := range map[string]time.Time{"-": {}, "90s": now.Add(-90 * time.Second), "3d": now.Add(-72 * time.Hour)} {
		if got := Age(since, now); got != want {
			t.Errorf("%v is %q, want %q", since, got, want)
		}
	}
}

// TestPathsAreShortWhereThatHelps: relative ones that would be longer are not.
func TestPathsAreShortWhereThatHelps(t *testing.T) {
	here, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	for path, want := range map[string]string{filepath.Join(here, "a", "b"): filepath.Join("a", "b"), here: ".", string(os.PathSeparator): string(os.PathSeparator), "a": "a"} {
		if got := Short(path); got != want {
			t.Errorf("%s is shown as %s", path, got)
		}
	}
}

// TestWaysToPrint: programs get what they can read, and a misspelt way is told of those that there are.
func TestWaysToPrint(t *testing.T) {
	value := map[string]any{"name": "a", "list": []string{}}
	for output, want := range map[string]string{AsJSON: "{\n  \"list\": [],\n  \"name\": \"a\"\n}\n", AsYAML: "list: []\nname: a\n"} {
		var out bytes.Buffer
		if err := PrintValue(&out, output, value); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", output, out.String(), err)
		}
	}
	if err := PrintValue(&bytes.Buffer{}, AsYAML, math.NaN()); err == nil || !strings.HasPrefix(err.Error(), "cannot print as yaml: ") {
		t.Error(err)
	}
	if err := CheckOutput("yml", AsTable, AsYAML); command.ExitCode(err) != command.ExitUsage || err.Error() != `cannot print as "yml": use one of table, yaml` {
		t.Error(err)
	}
	if err := CheckOutput(AsYAML, AsTable, AsYAML); err != nil {
		t.Error(err)
	}
}

// TestWideTablesCutNothing, as programs read their lines; others are as wide as a page where there is no terminal.
func TestWideTablesCutNothing(t *testing.T) {
	long := strings.Repeat("word ", 60) + "end"
	all := Table{Keys: 1, Header: []string{"NAME", "MESSAGE"}, Rows: [][]string{{"a", long}}}
	for output, whole := range map[string]bool{AsWide: true, AsTable: false} {
		var out bytes.Buffer
		if err := Print(&command.Global{Streams: command.Streams{Out: &out}}, all, output); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), long); got != whole {
			t.Errorf("-o %s prints\n%s", output, out.String())
		}
	}
}
