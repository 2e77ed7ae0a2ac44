package show

import (
	"io"

	"github.com/charmbracelet/lipgloss"
)

// plain is a style without colours.
type plain struct{}

func (plain) Title(text string) string   { return text }
func (plain) Dim(text string) string     { return text }
func (plain) Added(text string) string   { return text }
func (plain) Removed(text string) string { return text }
func (plain) Changed(text string) string { return text }

// colours is a style for terminals.
type colours struct{ title, dim, added, removed, changed lipgloss.Style }

// Colours is the style for a terminal; an output that is none gets no colours.
func Colours(out io.Writer) Style {
	r := lipgloss.NewRenderer(out)
	foreground := func(dark, light string) lipgloss.Style {
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Dark: dark, Light: light})
	}
	return colours{
		title: r.NewStyle().Bold(true), dim: foreground("245", "242"),
		added: foreground("42", "28"), removed: foreground("203", "160"), changed: foreground("214", "130"),
	}
}

func (c colours) Title(text string) string   { return c.title.Render(text) }
func (c colours) Dim(text string) string     { return c.dim.Render(text) }
func (c colours) Added(text string) string   { return c.added.Render(text) }
func (c colours) Removed(text string) string { return c.removed.Render(text) }
func (c colours) Changed(text string) string { return c.changed.Render(text) }
