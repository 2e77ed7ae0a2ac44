package live

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Style colours words. Colour is never the only sign: each word says it too.
type Style struct {
	title, dim, good, busy, bad lipgloss.Style
}

// NewStyle makes the style for an output; NO_COLOR and outputs that are no
// terminal get none.
func NewStyle(out io.Writer, colour bool) Style {
	r := lipgloss.NewRenderer(out)
	if !colour {
		r.SetColorProfile(termenv.Ascii)
	}
	foreground := func(dark, light string) lipgloss.Style {
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Dark: dark, Light: light})
	}
	return Style{
		title: r.NewStyle().Bold(true),
		dim:   foreground("245", "242"),
		good:  foreground("42", "28"),
		busy:  foreground("214", "130"),
		bad:   foreground("203", "160").Bold(true),
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
