package template

import (
	"fmt"
	"text/template"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// mostParts bounds the words, signs and texts of one template: a megabyte of them
// takes a quarter of a gigabyte.
const mostParts = 100_000

// Parse reads a template that may call Functions. What takes too much to be parsed
// is an error.
func Parse(name, text string) (*template.Template, error) {
	parsed, err := bounded.ParseTemplate(name, text, mostParts, Functions())
	if err != nil {
		return nil, err
	}
	out := template.New(name).Funcs(Functions())
	for defined, tree := range parsed.Trees {
		if _, err := out.AddParseTree(defined, tree); err != nil {
			return nil, fmt.Errorf("template %q: %w", defined, err)
		}
	}
	return out, nil
}
