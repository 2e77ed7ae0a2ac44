package operate

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// terminateWithin is how long the engine may take to end an operation.
const terminateWithin = time.Minute

type terminateFlags struct{ *command.Global }

// NewTerminate returns the command terminate.
func NewTerminate(g *command.Global) *cobra.Command {
	t := &terminateFlags{Global: g}
	return &cobra.Command{
		Use:   "terminate APP",
		Short: "End the sync that an application is busy with",
		Long: "End the operation that runs, or waits for its next try. Hooks that run are deleted; what has been applied stays.\n" +
			"An application with automated sync tries the same revision again only when it, or the spec, changes.",
		Example: "  causeway terminate shop",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("name the application whose sync is to end")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args[0]) },
		ValidArgsFunction: target.CompleteApps(g),
	}
}

func (t *terminateFlags) run(ctx context.Context, name string) error {
	h, err := target.Reach(t.Global)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, terminateWithin, command.Latef("the engine has not ended it within %s: see whether it runs", terminateWithin))
	defer cancel()
	app, err := h.Application(ctx, name)
	if err != nil {
		return command.Overdue(ctx, err)
	}
	before := app.DeepCopy()
	if err := operation.Terminate(app); err != nil {
		return err
	}
	if h.Server != nil {
		if err := h.Server.Terminate(ctx, target.KeyOf(app)); err != nil {
			return command.Overdue(ctx, fmt.Errorf("cannot terminate: %w", h.Explain(err)))
		}
		return t.await(ctx, h, app)
	}
	if err := h.Client.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner("causeway-cli")); err != nil {
		return command.Overdue(ctx, fmt.Errorf("cannot terminate: %w", h.Explain(err)))
	}
	return t.await(ctx, h, app)
}

func (t *terminateFlags) await(ctx context.Context, h *target.Hub, app *v1alpha1.Application) error {
	for {
		err := h.Client.Get(ctx, client.ObjectKeyFromObject(app), app)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("application %s: %w", h.NameOf(app), context.Cause(ctx))
		case target.IsMissing(err): // its deletion waited for nothing else
			_, err := fmt.Fprintf(t.Out, "%s: the operation has ended, and the application is deleted\n", h.NameOf(app))
			return err
		case err != nil:
			return h.Explain(err)
		case !app.Status.OperationState.Runs():
			_, err := fmt.Fprintf(t.Out, "%s: %s\n", h.NameOf(app), screen.Words(operation.Message(app)))
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(command.FollowPause):
		}
	}
}
