package table

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/cli/live"
)

// printed is what a table prints within a width.
func printed(t *testing.T, all Table, width int) string {
	t.Helper()
	var out bytes.Buffer
	if err := all.Print(&out, live.Plain(), width); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// withoutBlanks is a text of which only its blanks and breaks may have moved.
func withoutBlanks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// TestNamesAreWholeInAnyWidth: what a row is about is told in a window of any size, in letters of any width.
func TestNamesAreWholeInAnyWidth(t *testing.T) {
	names := map[string]string{
		"plain": "a-very-long-name-of-an-application-of-somebody", "wide": strings.Repeat("\u96c6\u7fa4", 20), "combined": strings.Repeat("e\u0301", 30), "family": strings.Repeat("👨‍👩‍👧", 12), "blanks": "of two words " + strings.Repeat("and more ", 9), "none": "",
	}
	for what, name := range names {
		for width := 1; width <= 120; width++ {
			all := Table{Keys: 1, Bare: true, Header: []string{"NAME"}, Rows: [][]string{{name}}}
			got := printed(t, all, width)
			if width > 1 && withoutBlanks(got) != withoutBlanks(name) {
				t.Fatalf("%s: in %d columns it is\n%s", what, width, got)
			}
			for line := range strings.Lines(got) {
				if n := ansi.StringWidth(strings.TrimRight(line, "\n")); width > 1 && n > width {
					t.Fatalf("%s: in %d columns a line has %d: %s", what, width, n, line)
				}
			}
		}
	}
}

// TestRowsKeepWithinTheirWidth where their columns need no more at least, however long their texts are.
func TestRowsKeepWithinTheirWidth(t *testing.T) {
	row := []string{strings.Repeat("\u540d", 30), "https://" + strings.Repeat("é", 40), "Synced", strings.Repeat("Wort ", 20), strings.Repeat("\u957f", 60)}
	for _, whole := range []bool{false, true} {
		all := Table{Keys: 1, Whole: whole, Wrapped: []string{"CAUSE"}, Header: []string{"NAME", "SERVER", "SYNC", "CAUSE", "MESSAGE"}, Rows: [][]string{row, {"a", "b", "", "", "c"}}}
		for width := 60; width <= 300; width += 7 {
			got := printed(t, all, width)
			for line := range strings.Lines(got) {
				if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("whole is %v: in %d columns a line has %d:\n%s", whole, width, n, line)
				}
			}
			if n := strings.Count(withoutBlanks(got), "\u957f"); whole && n != 60 {
				t.Errorf("in %d columns %d letters are left of a text that was asked for", width, n)
			}
			if n := strings.Count(withoutBlanks(got), "Wort"); n != 20 {
				t.Errorf("in %d columns %d words are left of what goes on below", width, n)
			}
		}
	}
}

// TestBothEndsOfAnAddressAreLeft, and of words the beginning.
func TestBothEndsOfAnAddressAreLeft(t *testing.T) {
	cases := map[string]struct{ reason, cell, want string }{
		"address":  {"both tell what it is", "https://git.example.com/shop", "https:…m/shop"},
		"words":    {"a sentence begins at its beginning", "cannot reach it at all", "cannot reach…"},
		"as it is": {"it has room", "exactly-13-ch", "exactly-13-ch"},
		"wide":     {"of letters of two columns as many as fit", strings.Repeat("\u540d", 20), "\u540d\u540d\u540d…\u540d\u540d\u540d"},
	}
	all := Table{Keys: 1, Header: []string{"A", "B", "C"}}
	for name, c := range cases {
		if got := all.pieces(1, c.cell, 13); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %s: %q, want %q", name, c.reason, got, c.want)
		}
	}
}

// TestTablesOfNothing have their headings, and bare ones an empty line as all have.
func TestTablesOfNothing(t *testing.T) {
	all := Table{Keys: 2, Header: []string{"NAME", "AGE"}}
	if got := printed(t, all, 5); got != "NAME  AGE\n" {
		t.Errorf("got %q", got)
	}
	all.Bare = true
	if got := printed(t, all, 0); got != "\n" {
		t.Errorf("got %q", got)
	}
}

// TestColoursOfTheProgramStay in the columns that it painted itself, and take no room.
func TestColoursOfTheProgramStay(t *testing.T) {
	const red = "\x1b[31mred\x1b[0m"
	got := printed(t, Table{Painted: 1, Header: []string{"STATE", "NAME"}, Rows: [][]string{{red, red}, {"x", "y"}}}, 40)
	if !strings.Contains(got, red+"    ") || strings.Count(got, "\x1b") != 2 || !strings.Contains(got, "x      y\n") {
		t.Errorf("got %q", got)
	}
}
