package install

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/inspect"
)

// NewExport returns the command export.
func NewExport(g *command.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write what previews need to know of a hub",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args:  command.UnknownCommand,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "fleet",
		Short: "Describe the clusters of a hub: metadata and API versions, no credentials",
		Long: "Print a fleet file: names, servers, labels and annotations of the clusters that a hub knows, and the API\n" +
			"versions that they serve. It has no credentials, so it can be committed: previews in CI then need no\n" +
			"access to any cluster.",
		Example: "  causeway export fleet --context hub > fleet.yaml\n  causeway preview --clusters fleet.yaml",
		Args:    command.None,
		RunE:    func(cmd *cobra.Command, _ []string) error { return exportFleet(cmd.Context(), g) },
	})
	return cmd
}

func exportFleet(ctx context.Context, g *command.Global) error {
	h, err := target.Connect(g)
	if err != nil {
		return err
	}
	log, err := command.LogTo(g.Err, "text", slog.LevelError)
	if err != nil {
		return err
	}
	found, silent, err := inspect.Roster(ctx, h.Looking(nil, log))
	if err != nil {
		return h.Explain(err)
	}
	for _, e := range silent {
		_, _ = fmt.Fprintf(g.Err, "warning: %v; its API versions are left out\n", e)
	}
	return found.Write(command.Exact(g.Out))
}
