package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/cli/live"
)

// gap between two columns.
const gap = 2

// table is text in columns. Words of a status are coloured where the style
// has colours.
type table struct {
	header []string
	rows   [][]string
	// bare tables go on without their headings.
	bare bool
}

// print writes the table. The last column gives way on a narrow terminal;
// width 0 means any.
func (t table) print(out io.Writer, style live.Style, width int) error {
	widths := t.widths()
	var lines []string
	if !t.bare {
		lines = append(lines, style.Header(t.line(t.header, widths, 0, nil)))
	}
	for _, row := range t.rows {
		lines = append(lines, t.line(row, widths, width, style.Word))
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

func (t table) widths() []int {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	return widths
}

func (t table) line(cells []string, widths []int, width int, paint func(string) string) string {
	var b strings.Builder
	at := 0
	for i, cell := range cells {
		if i == len(cells)-1 {
			if width > 0 {
				cell = ansi.Truncate(cell, max(width-at, 8), "…")
			}
			b.WriteString(painted(cell, paint))
			break
		}
		b.WriteString(painted(cell, paint) + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+gap))
		at += widths[i] + gap
	}
	return strings.TrimRight(b.String(), " ")
}

func painted(cell string, paint func(string) string) string {
	if paint == nil {
		return cell
	}
	return paint(cell)
}
