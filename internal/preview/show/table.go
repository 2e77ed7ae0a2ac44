package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Table writes one line for each group, and what deserves a look below.
func Table(w io.Writer, f *forecast.Forecast, o Options) error {
	var b strings.Builder
	heading(&b, f, o)
	if len(f.Groups) > 0 {
		b.WriteString("\n")
		writeTable(&b, f.Groups, o)
	}
	risks(&b, f, o)
	findings(&b, "Failures", f.Failures, o)
	warnings(&b, f.Warnings, o)
	missing(&b, f.Missing, o)
	_, err := io.WriteString(w, b.String())
	return err
}

// heading tells the whole preview, and what is compared.
func heading(b *strings.Builder, f *forecast.Forecast, o Options) {
	s := o.style()
	for l := range strings.SplitSeq(ansi.Wrap(screen.Line(verdict(f)), o.width(), ""), "\n") {
		b.WriteString(s.Title(l) + "\n")
	}
	if compared := sides(f); compared != " → " {
		b.WriteString(s.Dim(short(compared, o, 0)) + "\n")
	}
}

var columns = []string{"CHANGE", "APPLICATIONS", "OBJECTS", "RISKS", "IMAGES", "CAUSE"}

// shrink is the order in which columns give way, and their least width.
var shrink = []struct{ column, least int }{{4, 20}, {5, 26}, {1, 24}, {4, 12}, {5, 12}, {1, 16}, {4, 6}, {5, 5}, {1, 8}}

func writeTable(b *strings.Builder, groups []forecast.Group, o Options) {
	rows := [][]string{columns}
	for _, g := range groups {
		risk := ""
		if len(g.Risks) > 0 {
			risk = strconv.Itoa(len(g.Risks))
		}
		row := []string{signs[g.Change] + " " + string(g.Change), g.Title, objectCounts(g), risk, images(g), cause(g)}
		for i := range row {
			row[i] = screen.Line(row[i])
		}
		rows = append(rows, row)
	}
	widths := fit(rows, o.width())
	s := o.style()
	for i, row := range rows {
		cells := make([]string, 0, len(row))
		for j, cell := range row {
			if widths[j] > 0 {
				cells = append(cells, pad(cell, widths[j]))
			}
		}
		if i == 0 {
			b.WriteString(s.Dim(strings.TrimRight(strings.Join(cells, "  "), " ")) + "\n")
			continue
		}
		cells[0] = paint(s, groups[i-1].Change, cells[0])
		b.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
	}
}

// fit chooses widths for columns; one without any content has none.
func fit(rows [][]string, width int) []int {
	widths := make([]int, len(columns))
	for i, row := range rows {
		for j, cell := range row {
			if n := ansi.StringWidth(cell); cell != "" && (i > 0 || j < 2) {
				widths[j] = max(widths[j], n, ansi.StringWidth(columns[j]))
			}
		}
	}
	for _, s := range shrink {
		total := -2
		for _, n := range widths {
			if n > 0 {
				total += n + 2
			}
		}
		if over := total - width; over > 0 && widths[s.column] > s.least {
			widths[s.column] = max(s.least, widths[s.column]-over)
		}
	}
	return widths
}

func pad(text string, width int) string {
	text = ansi.Truncate(text, width, "…")
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

func paint(s Style, c forecast.Change, text string) string {
	switch c {
	case forecast.Added:
		return s.Added(text)
	case forecast.Removed:
		return s.Removed(text)
	default:
		return s.Changed(text)
	}
}

func risks(b *strings.Builder, f *forecast.Forecast, o Options) {
	s := o.style()
	title := "\n" + s.Title("Risks") + "\n"
	for _, g := range f.Groups {
		for _, r := range g.Risks {
			b.WriteString(title)
			title = ""
			b.WriteString(wrapped(o, s.Removed("! "), fmt.Sprintf("%s: %s (%s; %s)", r.Object, r.Message, r.Kind, g.Title)))
		}
	}
}

func findings(b *strings.Builder, title string, all []forecast.Finding, o Options) {
	if len(all) == 0 {
		return
	}
	s := o.style()
	b.WriteString("\n" + s.Title(title) + "\n")
	for _, f := range sorted(all) {
		mark := "  "
		if f.New {
			mark = s.Changed("* ")
		}
		text := f.Reason + ": " + f.Message
		if at := where(f); at != "" {
			text += " (" + at + ")"
		}
		if f.New {
			text = "new: " + text
		}
		b.WriteString(wrapped(o, mark, text))
	}
}

// warnings are the new ones; those that were there before are counted.
func warnings(b *strings.Builder, all []forecast.Finding, o Options) {
	fresh, known := parted(all)
	findings(b, "Warnings", fresh, o)
	if len(known) > 0 {
		b.WriteString("\n" + o.style().Dim(gitops.Count(len(known), "warning")+" as before: causeway lint shows them") + "\n")
	}
}

func missing(b *strings.Builder, all []forecast.Missing, o Options) {
	if len(all) == 0 {
		return
	}
	s := o.style()
	b.WriteString("\n" + s.Title("Sources that cannot be read from here") + "\n")
	for _, m := range all {
		text := fmt.Sprintf("%s: %s (%s)", missingName(m), m.Message, gitops.Count(len(m.Applications), "application"))
		b.WriteString(wrapped(o, "  ", text))
		if m.Command != "" {
			b.WriteString("    " + s.Dim("run: ") + screen.Line(m.Command) + "\n")
		}
	}
}

// wrapped folds a text at the width; the mark stands before its first line.
func wrapped(o Options, mark, text string) string {
	lines := strings.Split(ansi.Wrap(screen.Line(text), o.width()-2, ""), "\n")
	return mark + strings.Join(lines, "\n  ") + "\n"
}
