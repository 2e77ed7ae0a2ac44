package operate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type refreshFlags struct {
	*command.Global

	hard bool
}

// NewRefresh returns the command refresh.
func NewRefresh(g *command.Global) *cobra.Command {
	r := &refreshFlags{Global: g}
	cmd := &cobra.Command{
		Use:     "refresh APP…",
		Short:   "Have the engine look at Git and the cluster again",
		Long:    "Ask the engine to look at applications again now. With --hard it also renders all of them anew.",
		Example: "  causeway refresh shop\n  causeway refresh shop --hard",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("name the applications to look at again")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().BoolVar(&r.hard, "hard", false, "render everything anew, too")
	return cmd
}

func (r *refreshFlags) run(ctx context.Context, names []string) error {
	h, err := target.Reach(r.Global)
	if err != nil {
		return err
	}
	how := api.Normal
	if r.hard {
		how = api.Hard
	}
	names = once(h, names)
	if h.Server != nil && len(names) > 1 {
		return r.many(ctx, h, names, how)
	}
	for _, name := range names {
		app, err := h.Application(ctx, name)
		if err != nil {
			return err
		}
		if err := target.Refresh(ctx, h, app, how); err != nil {
			return fmt.Errorf("cannot refresh application %s: %w", name, h.Explain(err))
		}
		if _, err := fmt.Fprintf(r.Out, "%s: is looked at again\n", name); err != nil {
			return err
		}
	}
	return nil
}
