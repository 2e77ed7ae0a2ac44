// Command write writes the provider's pages to the folder docs.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/reference"
)

func main() {
	if err := write("docs", "examples"); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(docs, examples string) error {
	pages, err := reference.Pages(context.Background(), os.DirFS(examples))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(docs); err != nil {
		return err
	}
	for _, name := range reference.Names(pages) {
		file := filepath.Join(docs, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // pages are for everybody
			return err
		}
		if err := os.WriteFile(file, []byte(pages[name]), 0o644); err != nil { //nolint:gosec // pages are for everybody
			return err
		}
	}
	return nil
}
