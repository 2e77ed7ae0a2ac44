package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// gap between two columns.
const gap = 2

// Table is text in columns. Words of a status are coloured where the style
// has colours.
type Table struct {
	Header []string
	Rows   [][]string
	// Keys is how many of the first columns say which thing a row is about.
	// They are never cut: what is too long for its column goes on below.
	Keys int
	// Whole tables cut no text of the last column either: it is what was asked for.
	Whole bool
	// Wrapped are headings of columns whose words go on below instead of being cut: how much their beginning means
	// stands at their end.
	Wrapped []string
	// Bare tables go on without their headings.
	Bare bool
	// Painted is how many of the first columns have colours already: they are the program's own words.
	Painted int
}

// Print prints a table as wide as its output asks for.
func Print(g *command.Global, t Table, output string) error {
	return t.Print(g.Out, g.Style(g.Out), Width(g, output))
}

// Width is the number of columns that a table may have; 0 for any.
//
// It is the same where no terminal is: people read logs of pipelines, too, and
// what a command prints should not depend on where it goes. Programs take JSON,
// and -o wide has a line a row with all of its text.
func Width(g *command.Global, output string) int {
	if output == AsWide {
		return 0
	}
	if width := command.WidthOf(g.Out); width > 0 {
		return width
	}
	return PageWidth
}

// PageWidth is how many columns text takes where no terminal says how many there are.
const PageWidth = 100

// Print writes the table within a number of columns; 0 means any. What files and objects are called is written by
// others, and tells the terminal nothing.
func (t Table) Print(out io.Writer, style live.Style, width int) error {
	t.Rows = t.printable()
	widths := t.fitted(width)
	var lines []string
	if !t.Bare {
		lines = append(lines, style.Header(line(t.Header, widths, nil)))
	}
	for _, row := range t.Rows {
		lines = append(lines, t.folded(row, widths, style.Word)...)
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// printable are the rows without what would tell a terminal what to do.
func (t Table) printable() [][]string {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Clone(row)
		for n := t.Painted; n < len(row); n++ {
			rows[i][n] = screen.Line(row[n])
		}
	}
	return rows
}

// folded are the lines of a row.
func (t Table) folded(row []string, widths []int, paint func(string) string) []string {
	parts, most := make([][]string, len(row)), 1
	for i, cell := range row {
		parts[i] = t.pieces(i, cell, widths[i])
		most = max(most, len(parts[i]))
	}
	lines := make([]string, 0, most)
	for n := range most {
		cells := make([]string, len(row))
		for i := range row {
			if n < len(parts[i]) {
				cells[i] = parts[i][n]
			}
		}
		lines = append(lines, line(cells, widths, paint))
	}
	return lines
}

// pieces are what a cell shows on each line of its row.
func (t Table) pieces(column int, cell string, width int) []string {
	last := column == len(t.Header)-1
	switch {
	case ansi.StringWidth(cell) <= width:
		return []string{cell}
	case column < t.Keys:
		return strings.Split(ansi.Hardwrap(cell, width, true), "\n")
	case last && t.Whole, slices.Contains(t.Wrapped, t.Header[column]):
		return strings.Split(ansi.Wrap(cell, width, ""), "\n")
	case last, strings.Contains(cell, " "):
		return []string{ansi.Truncate(cell, width, "…")}
	}
	return []string{middle(cell, width)}
}

// middle leaves out the middle of an address or a path: both ends tell what it
// is. Of words and lists the beginning does.
func middle(cell string, width int) string {
	head := ansi.Truncate(cell, width/2, "")
	tail := width - 1 - ansi.StringWidth(head)
	return head + "…" + ansi.TruncateLeft(cell, ansi.StringWidth(cell)-tail, "")
}

func line(cells []string, widths []int, paint func(string) string) string {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString(painted(cell, paint) + strings.Repeat(" ", max(widths[i]-ansi.StringWidth(cell), 0)+gap))
	}
	return strings.TrimRight(b.String(), " ")
}

func painted(cell string, paint func(string) string) string {
	if paint == nil {
		return cell
	}
	return paint(cell)
}
