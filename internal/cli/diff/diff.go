package diff

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/differences"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/plan"
)

type flags struct {
	*command.Global

	output  string
	mirrors []string
}

// New returns the command diff.
func New(g *command.Global) *cobra.Command {
	d := &flags{Global: g, output: differences.AsDiff}
	cmd := &cobra.Command{
		Use:   "diff APP…",
		Short: "Show what a sync would change, by dry runs on the destination cluster",
		Long: "Show what a sync of applications would change now. The API server of the destination says what would\n" +
			"become of each object, defaults and webhooks included. Exits with 3 when something would change.",
		Example: "  causeway diff addon-dev-reloader\n  causeway diff addon-dev-reloader -o name",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("name the applications to compare")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringVarP(&d.output, "output", "o", d.output, "how to print: diff, table, wide, json, yaml, name")
	cmd.Flags().StringArrayVar(&d.mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; can be repeated")
	return cmd
}

func (d *flags) run(ctx context.Context, names []string) error {
	if err := table.CheckOutput(d.output, differences.AsDiff, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML, table.AsName); err != nil {
		return err
	}
	mirrors, err := command.SteadyMirrors(d.mirrors)
	if err != nil {
		return err
	}
	h, err := target.ReachWithout(d.Global, d.mirrors)
	if err != nil {
		return err
	}
	inspector, err := target.Look(ctx, d.Global, h, mirrors)
	if err != nil {
		return err
	}
	defer inspector.Close()
	var all []plan.ObjectDiff
	for _, name := range command.Compact(names) {
		application, err := h.Application(ctx, name)
		if err != nil {
			return err
		}
		found, err := inspector.Diff(ctx, application)
		if err != nil {
			return fmt.Errorf("cannot compare application %s: %w", name, h.Explain(err))
		}
		all = append(all, found...)
	}
	if err := differences.Print(d.Global, d.output, all); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o plan.ObjectDiff) bool { return o.Kept == "" }) {
		return command.ErrChanges
	}
	return nil
}
