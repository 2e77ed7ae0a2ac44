package checkout

import (
	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// Asked reports whether a repository is to be looked at, and no hub.
func (o *Flags) Asked(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("repo") || cmd.Flags().Changed("clusters")
}

// Unused refuses what is of a checkout where a hub is asked, which has its own.
func (o *Flags) Unused(cmd *cobra.Command) error {
	if o.Asked(cmd) {
		return nil
	}
	for _, name := range []string{"revision", "root", "branch", "repo-url", "mirror-dir", "no-fetch", "api-versions", "credentials", "metadata-schema"} {
		if cmd.Flags().Changed(name) {
			return command.Usagef("--%s is for a checkout: add --repo, or leave it out", name)
		}
	}
	return nil
}
