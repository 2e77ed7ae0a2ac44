package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/screen"
)

// The ways to print.
const (
	asTable = "table"
	asWide  = "wide"
	asJSON  = "json"
	asYAML  = "yaml"
	asName  = "name"
	asTree  = "tree"

	asMarkdown = "markdown"
	asHTML     = "html"
)

// tabular reports whether a way to print is a table.
func tabular(output string) bool { return output == asTable || output == asWide }

// checkOutput refuses a way to print that a command does not know.
func checkOutput(output string, known ...string) error {
	if slices.Contains(known, output) {
		return nil
	}
	return usagef("cannot print as %q: use one of %s", output, strings.Join(known, ", "))
}

// printValue prints a value as JSON or YAML.
func printValue(out io.Writer, output string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot print as %s: %w", output, err)
	}
	if output == asJSON {
		_, err = fmt.Fprintln(exact(out), screen.JSON(string(text)))
		return err
	}
	if text, err = yaml.JSONToYAML(text); err != nil {
		return fmt.Errorf("cannot print as %s: %w", output, err)
	}
	_, err = fmt.Fprintln(exact(out), strings.TrimRight(string(text), "\n"))
	return err
}
