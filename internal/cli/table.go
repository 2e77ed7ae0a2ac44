package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// gap between two columns.
const gap = 2

// table is text in columns. Words of a status are coloured where the style
// has colours.
type table struct {
	header []string
	rows   [][]string
	// keys is how many of the first columns say which thing a row is about.
	// They are never cut: what is too long for its column goes on below.
	keys int
	// whole tables cut no text of the last column either: it is what was asked for.
	whole bool
	// wrapped are headings of columns whose words go on below instead of being cut: how much their beginning means
	// stands at their end.
	wrapped []string
	// bare tables go on without their headings.
	bare bool
	// painted is how many of the first columns have colours already: they are the program's own words.
	painted int
}

// printTable prints a table as wide as its output asks for.
func (g *global) printTable(t table, output string) error {
	return t.print(g.Out, g.style(g.Out), g.tableWidth(output))
}

// tableWidth is the number of columns that a table may have; 0 for any.
//
// It is the same where no terminal is: people read logs of pipelines, too, and
// what a command prints should not depend on where it goes. Programs take JSON,
// and -o wide has a line a row with all of its text.
func (g *global) tableWidth(output string) int {
	if output == asWide {
		return 0
	}
	if width := widthOf(g.Out); width > 0 {
		return width
	}
	return pageWidth
}

// pageWidth is how many columns text takes where no terminal says how many there are.
const pageWidth = 100

// print writes the table within a number of columns; 0 means any. What files and objects are called is written by
// others, and tells the terminal nothing.
func (t table) print(out io.Writer, style live.Style, width int) error {
	t.rows = t.printable()
	widths := t.fitted(width)
	var lines []string
	if !t.bare {
		lines = append(lines, style.Header(line(t.header, widths, nil)))
	}
	for _, row := range t.rows {
		lines = append(lines, t.folded(row, widths, style.Word)...)
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// printable are the rows without what would tell a terminal what to do.
func (t table) printable() [][]string {
	rows := make([][]string, len(t.rows))
	for i, row := range t.rows {
		rows[i] = slices.Clone(row)
		for n := t.painted; n < len(row); n++ {
			rows[i][n] = screen.Line(row[n])
		}
	}
	return rows
}

// folded are the lines of a row.
func (t table) folded(row []string, widths []int, paint func(string) string) []string {
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
func (t table) pieces(column int, cell string, width int) []string {
	last := column == len(t.header)-1
	switch {
	case ansi.StringWidth(cell) <= width:
		return []string{cell}
	case column < t.keys:
		return strings.Split(ansi.Hardwrap(cell, width, true), "\n")
	case last && t.whole, slices.Contains(t.wrapped, t.header[column]):
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
