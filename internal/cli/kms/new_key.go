package kms

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/kms/agefile"
)

func newKey(g *command.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "new-key FILE",
		Short: "Make a key, and put it first in a key file",
		Long: "Make a key for causeway kms and causeway-kube, and put it before those that a file has. A file that is not there\n" +
			"is made, for its user alone. Who serves the file encrypts with the new key from then on, and decrypts with all.",
		Example: "  causeway kms new-key /etc/causeway/kms.key",
		Args:    command.One("a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			id, err := agefile.Add(args[0], now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(g.Out, "%s encrypts now, as the first key of %s\n", id, strings.TrimSpace(args[0]))
			return err
		},
	}
}
