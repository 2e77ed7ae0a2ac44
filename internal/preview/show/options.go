package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Options of all forms; the zero value works.
type Options struct {
	// Width of the table and the tree, in columns; 0 means 100.
	Width int
	// Style colours the table and the tree; nil means no colours.
	Style Style
	// Limit of the Markdown, in bytes; 0 means 60,000, less than 2,000 is 2,000.
	Limit int
	// Command shows what Markdown leaves out; empty means "causeway preview".
	Command string
}

// Style colours words. Colour is never the only sign.
type Style interface {
	Title(text string) string
	Dim(text string) string
	Added(text string) string
	Removed(text string) string
	Changed(text string) string
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 100
	}
	return max(o.Width, 40)
}

func (o Options) style() Style {
	if o.Style == nil {
		return plain{}
	}
	return o.Style
}

func (o Options) command() string {
	if o.Command == "" {
		return "causeway preview"
	}
	return o.Command
}

// JSON writes the document itself, as docs/reference/preview-schema.json
// describes it.
func JSON(w io.Writer, f *forecast.Forecast, _ Options) error {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("cannot write the preview as JSON: %w", err)
	}
	if _, err := io.WriteString(w, screen.JSON(text.String())); err != nil {
		return fmt.Errorf("cannot write the preview as JSON: %w", err)
	}
	return nil
}

// YAML writes the same document as YAML.
func YAML(w io.Writer, f *forecast.Forecast, _ Options) error {
	text, err := forecast.YAML(f)
	if err != nil {
		return fmt.Errorf("cannot write the preview as YAML: %w", err)
	}
	_, err = w.Write(text)
	return err
}
