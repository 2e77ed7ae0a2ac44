package cli

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/inspect"
)

func newExport(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write what previews need to know of a hub",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args:  unknownCommand,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "fleet",
		Short: "Describe the clusters of a hub: metadata and API versions, no credentials",
		Long: "Print a fleet file: names, servers, labels and annotations of the clusters that a hub knows, and the API\n" +
			"versions that they serve. It has no credentials, so it can be committed: previews in CI then need no\n" +
			"access to any cluster.",
		Example: "  causeway export fleet --context hub > fleet.yaml\n  causeway preview --clusters fleet.yaml",
		Args:    none,
		RunE:    func(cmd *cobra.Command, _ []string) error { return g.exportFleet(cmd.Context()) },
	})
	return cmd
}

func (g *global) exportFleet(ctx context.Context) error {
	h, err := g.connect()
	if err != nil {
		return err
	}
	log, err := logTo(g.Err, "text", slog.LevelError)
	if err != nil {
		return err
	}
	found, silent, err := inspect.Roster(ctx, h.looking(nil, log))
	if err != nil {
		return h.explain(err)
	}
	for _, e := range silent {
		_, _ = fmt.Fprintf(g.Err, "warning: %v; its API versions are left out\n", e)
	}
	return found.Write(exact(g.Out))
}
