package table

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// The ways to print.
const (
	AsTable = "table"
	AsWide  = "wide"
	AsJSON  = "json"
	AsYAML  = "yaml"
	AsName  = "name"
	AsTree  = "tree"

	AsMarkdown = "markdown"
	AsHTML     = "html"
)

// Tabular reports whether a way to print is a table.
func Tabular(output string) bool { return output == AsTable || output == AsWide }

// CheckOutput refuses a way to print that a command does not know.
func CheckOutput(output string, known ...string) error {
	if slices.Contains(known, output) {
		return nil
	}
	return command.Usagef("cannot print as %q: use one of %s", output, strings.Join(known, ", "))
}

// PrintValue prints a value as JSON or YAML.
func PrintValue(out io.Writer, output string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot print as %s: %w", output, err)
	}
	if output == AsJSON {
		_, err = fmt.Fprintln(command.Exact(out), screen.JSON(string(text)))
		return err
	}
	if text, err = yaml.JSONToYAML(text); err != nil {
		return fmt.Errorf("cannot print as %s: %w", output, err)
	}
	_, err = fmt.Fprintln(command.Exact(out), strings.TrimRight(string(text), "\n"))
	return err
}
