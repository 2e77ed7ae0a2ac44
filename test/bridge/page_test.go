package bridge

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const pageName = "../../docs/tutorial/bridge.md"

// marked are the blocks of the page that are run: a step with its name and
// what it prints, or what sets up the shell for all steps that follow.
var marked = regexp.MustCompile("(?ms)^<!-- (env|step: ([a-z]+)) -->\n```sh\n(.*?)^```\n(?:\n<!-- prints -->\n```\n(.*?)^```\n)?")

// step is a block of commands as a person types them.
type step struct {
	name   string
	text   string
	prints string
	line   int
}

func readPage(t *testing.T) []step {
	t.Helper()
	text, err := os.ReadFile(pageName)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	env := "set -eu\n"
	page := string(text)
	part := func(m []int, i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return page[m[2*i]:m[2*i+1]]
	}
	for _, m := range marked.FindAllStringSubmatchIndex(page, -1) {
		if part(m, 1) == "env" {
			env += part(m, 3)
			continue
		}
		steps = append(steps, step{name: part(m, 2), text: env + part(m, 3), prints: part(m, 4), line: 1 + strings.Count(page[:m[0]], "\n")})
	}
	return steps
}

// What differs from run to run: commits and digests, times, and columns that
// are as wide as those.
var (
	hex     = regexp.MustCompile(`\b(?:[0-9a-f]{32}|[0-9a-f]{7})\b`)
	moments = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[0-9:]+Z`)
	lengths = regexp.MustCompile(`\b(?:\d+[hms])+\b`)
	columns = regexp.MustCompile(` {2,}`)
)

func steady(line string) string {
	line = lengths.ReplaceAllString(moments.ReplaceAllString(hex.ReplaceAllString(line, "#"), "#"), "#")
	indent := len(line) - len(strings.TrimLeft(line, " "))
	return strings.TrimRight(line[:indent]+columns.ReplaceAllString(line[indent:], "  "), " ")
}

// elided stands for lines, or for the rest of a line, that the page leaves out.
const elided = "…"

// shows tells what of a block is not in the output. Lines follow one another
// as shown, but for those that the page leaves out.
func shows(block, output string) error {
	got := strings.Split(strings.TrimSpace(output), "\n")
	skip := false
	for line := range strings.Lines(strings.TrimRight(block, "\n")) {
		line = strings.TrimRight(line, "\n")
		if line == elided {
			skip = true
			continue
		}
		at := slices.IndexFunc(got, func(g string) bool { return same(line, g) })
		if at < 0 || at > 0 && !skip {
			return fmt.Errorf("the page shows %q, and not where that is printed comes:\n%s", line, strings.Join(got, "\n"))
		}
		got, skip = got[at+1:], false
	}
	if len(got) > 0 && !skip {
		return fmt.Errorf("the page leaves out, without saying so:\n%s", strings.Join(got, "\n"))
	}
	return nil
}

func same(shown, got string) bool {
	if start, cut := strings.CutSuffix(shown, elided); cut {
		return strings.HasPrefix(steady(got), steady(start))
	}
	return steady(shown) == steady(got)
}

func TestShows(t *testing.T) {
	for name, tc := range map[string]struct {
		reason        string
		block, output string
		want          bool
	}{
		"Steady":   {"ages, revisions and widths of columns differ", "NAME  AGE\na  51d31b2  1m8s\n", "NAME      AGE\na     7fc5e92   3s\n", true},
		"Elided":   {"lines may be left out where the page says so", "…\nb\n…\nd\n…\n", "a\nb\nc\nd\ne\n", true},
		"Rest":     {"so may the rest of a line", "a: long …\n", "a: long story\n", true},
		"Order":    {"the order is as printed", "…\nb\n…\na\n…\n", "a\nb\n", false},
		"More":     {"nothing is left out silently", "a\n", "a\nb\n", false},
		"Between":  {"nor between two lines", "a\nc\n", "a\nb\nc\n", false},
		"Missing":  {"what is shown is printed", "a\nb\n", "a\n", false},
		"Indented": {"what belongs to what is a matter of indentation", "a\n  b\n", "a\nb\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := shows(tc.block, tc.output); (err == nil) != tc.want {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}
