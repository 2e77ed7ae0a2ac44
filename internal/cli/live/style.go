package live

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	_ "github.com/causeway-gitops/causeway/internal/cli/live/background" // before the display's own
)

// Style colours words. Colour is never the only sign: each word says it too.
type Style struct {
	title, dim, good, busy, bad lipgloss.Style
}

// NewStyle makes the style for an output; NO_COLOR and outputs that are no
// terminal get none. The colours can be read on dark and on light: which it is,
// not every terminal tells.
func NewStyle(out io.Writer, colour bool) Style {
	r := lipgloss.NewRenderer(out)
	if !colour {
		r.SetColorProfile(termenv.Ascii)
	}
	foreground := func(colour lipgloss.Color) lipgloss.Style { return r.NewStyle().Foreground(colour) }
	return Style{
		title: r.NewStyle().Bold(true),
		dim:   foreground("244"),
		good:  foreground("35"),
		busy:  foreground("172"),
		bad:   foreground("167").Bold(true),
	}
}

// Plain is a style without colours.
func Plain() Style { return NewStyle(io.Discard, false) }

// Header colours the headings of a table.
func (s Style) Header(text string) string { return s.dim.Render(text) }

// Dim colours what is beside the point.
func (s Style) Dim(text string) string { return s.dim.Render(text) }

// Word colours a word of a status; other words stay as they are.
func (s Style) Word(word string) string {
	switch word {
	case "Synced", "Healthy", "Succeeded", "ok", "up to date", "ready":
		return s.good.Render(word)
	case "OutOfSync", "Progressing", "Running", "Suspended", "warn", "Missing", "Terminating":
		return s.busy.Render(word)
	case "Degraded", "Failed", "Error", "fail", "error":
		return s.bad.Render(word)
	case "Unknown", "Superseded", "-":
		return s.dim.Render(word)
	}
	return word
}

// Title makes a heading stand out.
func (s Style) Title(text string) string { return s.title.Render(text) }

// Added and Removed colour the lines of a difference.
func (s Style) Added(text string) string { return s.good.Render(text) }

// Removed colours a line that goes.
func (s Style) Removed(text string) string { return s.bad.Bold(false).Render(text) }

// Changed colours what stays and becomes another.
func (s Style) Changed(text string) string { return s.busy.Render(text) }

// Signs are the sequences that colour words, before and after them.
func (s Style) Signs() []string {
	var out []string
	for _, one := range []lipgloss.Style{s.title, s.dim, s.good, s.busy, s.bad, s.bad.Bold(false)} {
		before, after, _ := strings.Cut(one.Render("x"), "x")
		out = append(out, before, after)
	}
	return out
}
