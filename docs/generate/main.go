// Command generate writes docs/reference/cli.md from the commands of causeway,
// docs/reference/preview-schema.json from the types of a preview,
// docs/reference/openapi.yaml from those of the API, and the
// tables of other pages from the types and constants that they tell of. It
// runs in the folder docs.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/causeway-gitops/causeway/docs"
	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

func main() {
	for _, step := range []func() error{commands, preview, openapi, tables} {
		if err := step(); err != nil {
			fmt.Fprintln(os.Stderr, "cannot write the reference:", err)
			os.Exit(1)
		}
	}
}

func commands() error {
	var b bytes.Buffer
	if err := docs.Reference(&b, cli.Root()); err != nil {
		return err
	}
	return write("reference/cli.md", b.Bytes())
}

func preview() error {
	source, err := os.ReadFile(docs.PreviewSource)
	if err != nil {
		return err
	}
	schema, err := docs.Schema(docs.PreviewSchemaID, "Forecast", source)
	if err != nil {
		return err
	}
	return write("reference/preview-schema.json", schema)
}

func openapi() error {
	text, err := api.Document()
	if err != nil {
		return err
	}
	return write("reference/openapi.yaml", text)
}

func tables() error {
	for _, page := range docs.Pages {
		text, err := docs.Fill(page)
		if err != nil {
			return err
		}
		if err := write(page, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

func write(file string, text []byte) error {
	return os.WriteFile(file, text, 0o644) //nolint:gosec // everybody may read it
}
