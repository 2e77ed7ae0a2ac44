package tabletest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

// Try prints the tables of a package, which made has by their names for a way to print: on a page they fit, -o wide cuts
// nothing, and none of the package is forgotten.
func Try(t *testing.T, made func(output string) map[string]table.Table) {
	t.Helper()
	for name, tried := range made(table.AsTable) {
		fits(t, name, tried)
	}
	for name, tried := range made(table.AsWide) {
		cutsNothing(t, name, tried)
	}
	forgetsNone(t, made)
}

func printed(t *testing.T, tried table.Table, output string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := table.Print(&command.Global{Streams: command.Streams{Out: &out}, NoColor: true}, tried, output); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func fits(t *testing.T, name string, tried table.Table) {
	t.Helper()
	for _, line := range printed(t, tried, table.AsTable) {
		if n := ansi.StringWidth(line); n > table.PageWidth {
			t.Errorf("%s: a line of %d columns, more than people see: %q", name, n, line)
			return
		}
	}
	if tried.Keys < 1 || len(tried.Rows) == 0 {
		t.Errorf("%s: which thing a row is about is not said, or there is no row", name)
	}
	if tried.Bare {
		return // its columns cannot be told apart
	}
	for i := range tried.Keys {
		var want strings.Builder
		want.WriteString(tried.Header[i])
		for _, row := range tried.Rows {
			want.WriteString(row[i])
		}
		if got := column(printed(t, tried, table.AsTable), tried.Header, i); got != letters(want.String()) {
			t.Errorf("%s: which thing a row is about is lost: %q of %q", name, got, want.String())
		}
	}
}

// column is what stands in a column, from its heading on, without blanks.
func column(lines, header []string, i int) string {
	from, to, next := 0, -1, 0
	for n, cell := range header[:min(i+2, len(header))] {
		at := next + strings.Index(lines[0][next:], cell)
		next = at + len(cell)
		switch n {
		case i:
			from = at
		case i + 1:
			to = at
		}
	}
	var out strings.Builder
	for _, line := range lines {
		cells := []rune(line)
		end := len(cells)
		if to >= 0 {
			end = min(to, end)
		}
		out.WriteString(letters(string(cells[min(from, end):end])))
	}
	return out.String()
}

// letters are a text without its blanks.
func letters(text string) string { return strings.Join(strings.Fields(text), "") }

func cutsNothing(t *testing.T, name string, tried table.Table) {
	t.Helper()
	lines := printed(t, tried, table.AsWide)
	if !tried.Bare {
		lines = lines[1:]
	}
	if len(lines) != len(tried.Rows) {
		t.Fatalf("%s: %d lines for %d rows: programs like grep want one each", name, len(lines), len(tried.Rows))
	}
	for i, row := range tried.Rows {
		for _, cell := range row {
			if !strings.Contains(lines[i], strings.TrimRight(cell, " ")) {
				t.Errorf("%s: %q is not there", name, cell)
			}
		}
	}
}

var headings = regexp.MustCompile(`(?i)header: \[\]string\{([^}]*)\}`)

// forgetsNone finds the headings in the code itself.
func forgetsNone(t *testing.T, made func(output string) map[string]table.Table) {
	t.Helper()
	var tested []string
	for _, output := range []string{table.AsTable, table.AsWide} {
		for _, tried := range made(output) {
			tested = append(tested, `"`+strings.Join(tried.Header, `", "`)+`"`)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range headings.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(tested, m[1]) {
				t.Errorf("%s: the table with the headings %s is not among those that are tried", file, m[1])
			}
		}
	}
}
