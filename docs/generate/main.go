// Command generate writes docs/reference/cli.md from the commands of causeway.
// It runs in the folder docs.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/causeway-gitops/causeway/docs"
	"github.com/causeway-gitops/causeway/internal/cli"
)

func main() {
	var b bytes.Buffer
	err := docs.Reference(&b, cli.Root())
	if err == nil {
		err = os.WriteFile("reference/cli.md", b.Bytes(), 0o644) //nolint:gosec // everybody may read it
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot write the reference of the command line:", err)
		os.Exit(1)
	}
}
