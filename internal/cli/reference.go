package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// Root returns the whole command line for a reader that does not run it, such
// as the generator of its reference.
func Root() *cobra.Command {
	return newRoot(&command.Global{Streams: command.Streams{Out: io.Discard, Err: io.Discard}})
}
