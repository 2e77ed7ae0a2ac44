package object

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

func TestWhatIsCutTellsHowMuchIsLeftOut(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		limit        int
		want         string
	}{
		"Short":   {"all of it", "a\nb\n", 4, "a\nb\n"},
		"AtALine": {"whole lines stay", "first\nsecond\nthird", 9, "first\n# … 2 more lines, 13 bytes"},
		"Ending":  {"the end of the last line is no line", "first\nsecond\nthird\n", 9, "first\n# … 2 more lines, 14 bytes"},
		"Long":    {"a line longer than the rest is cut", "first\n" + strings.Repeat("x", 20) + "\nlast\n", 16, "first\nxxxxxxxxxx\n# … 2 more lines, 16 bytes"},
		"Runes":   {"no character is cut in two", strings.Repeat("é", 5), 5, "éé\n# … 1 more lines, 5 bytes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := cut(tc.text, tc.limit)
			if got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if left := leftOut(got); (left != "") != (got != tc.text) || !strings.HasSuffix(got, left) {
				t.Errorf("what is left out is told as %q", left)
			}
		})
	}
	if left := leftOut("a: 1\n# … a comment of theirs\nb: 2\n"); left != "" {
		t.Errorf("a comment is taken for what is left out: %q", left)
	}
}

// Of two long texts what they have in common goes, but for a few lines.
func TestLongTextsAreShortenedAroundTheirDifference(t *testing.T) {
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	long := strings.Repeat("é", maxText)
	cases := map[string]struct{ reason, a, b, old, head string }{
		"Short":  {"short ones are whole", "a\nb\n", "a\nc\n", "a\nb\n", "a\nc\n"},
		"Middle": {"lines before and after it stay", lines(0, 5000) + "old\n" + lines(5000, 9000), lines(0, 5000) + "new\n" + lines(5000, 9000), "…\nline 4998\nline 4999\nold\nline 5000\nline 5001\n…", "…\nline 4998\nline 4999\nnew\nline 5000\nline 5001\n…"},
		"Start":  {"at the beginning there is nothing before it", "old\n" + lines(0, 9000), "new\n" + lines(0, 9000), "old\nline 0\nline 1\n…", "new\nline 0\nline 1\n…"},
		"End":    {"at the end there is nothing after it", lines(0, 9000), lines(0, 9000) + "new\n", "…\nline 8998\nline 8999\n", "…\nline 8998\nline 8999\nnew\n"},
		"OneLine": {"of lines without an end some letters stay", long + "old" + long, long + "new" + long,
			"…\n" + strings.Repeat("é", 200) + "old" + strings.Repeat("é", 200) + "\n…", "…\n" + strings.Repeat("é", 200) + "new" + strings.Repeat("é", 200) + "\n…"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			old, head := shorten(tc.a, tc.b)
			if old != tc.old || head != tc.head {
				t.Errorf("%s:\ngot  %.600q\nand  %.600q\nwant %.600q\nand  %.600q", tc.reason, old, head, tc.old, tc.head)
			}
			if !utf8.ValidString(old) || !utf8.ValidString(head) {
				t.Errorf("%s: a character is cut in two", tc.reason)
			}
		})
	}
	old, head := shorten(strings.Repeat("a", 3*maxText), strings.Repeat("b", 3*maxText))
	if len(old) > maxText+100 || leftOut(old) == "" || leftOut(head) == "" {
		t.Errorf("two texts with nothing in common are told with %d bytes", len(old))
	}
}

func TestLargeValuesAreToldAsText(t *testing.T) {
	list := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = fmt.Sprintf("item-%d", i)
		}
		return out
	}
	if got, ok := boundOne(list(3)).([]any); !ok || len(got) != 3 {
		t.Errorf("a small list is told as %v", got)
	}
	got, _ := boundOne(list(5000)).(string)
	if !strings.HasPrefix(got, "- item-0\n- item-1\n") || len(got) > maxText+100 || leftOut(got) == "" {
		t.Errorf("a large list is told with %d bytes: %.40q", len(got), got)
	}
	var deep any = "leaf"
	for range maxDepth + 5 {
		deep = map[string]any{"a": deep}
	}
	if got, _ := boundOne(deep).(string); !strings.HasPrefix(got, `{"a":{"a":`) {
		t.Errorf("the YAML of a deep one would be blanks: %.40q", got)
	}
	if boundOne(nil) != nil || boundOne(int64(3)) != int64(3) {
		t.Error("nothing and numbers are told as they are")
	}
}

// Steps of paths are short, and text as JSON has it.
func TestLongKeysAreCutBetweenCharacters(t *testing.T) {
	for name, key := range map[string]string{"plain": strings.Repeat("k", 200), "accents": "k" + strings.Repeat("é", 200)} {
		fields := Fields(map[string]any{key: "a"}, map[string]any{key: "b"})
		if len(fields) != 1 || len(fields[0].Path) > maxKey+10 || strings.Contains(fields[0].Path, `\x`) || !strings.Contains(fields[0].Path, "…") {
			t.Errorf("a key of %s is told as %+v", name, fields)
		}
	}
}

// Many fields of one object are more than a person reads; how many there are is told.
func TestFieldsOfOneObjectAreBounded(t *testing.T) {
	side := func(value string) string {
		var b strings.Builder
		for i := range maxFields + 7 {
			fmt.Fprintf(&b, "  k%03d: %s\n", i, value)
		}
		return wrap("v1", "ConfigMap", "data:\n"+b.String())
	}
	o := Compare(manifests(t, side("a")), manifests(t, side("b")), Options{}).Objects[0]
	if len(o.Fields) != maxFields || o.Omitted != 7 || o.Change != forecast.Changed {
		t.Errorf("%d fields are told, and %d are left out", len(o.Fields), o.Omitted)
	}
}
