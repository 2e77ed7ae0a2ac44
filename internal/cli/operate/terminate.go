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
	"github.com/causeway-gitops/causeway/internal/conflict"
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
		Short: "Terminate the operation of an application",
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
	app, begun, err := end(ctx, h, name)
	if err != nil {
		return command.Overdue(ctx, err)
	}
	return t.await(ctx, h, app, begun)
}

// end asks for the end of what an application is busy with, and tells whether that had begun.
func end(ctx context.Context, h *target.Hub, name string) (app *v1alpha1.Application, begun bool, err error) {
	err = conflict.Retry(func() error { // the engine writes into what runs, too
		if app, err = h.Application(ctx, name); err != nil {
			return err
		}
		before := app.DeepCopy()
		begun = app.Status.OperationState.Runs()
		if err := operation.Terminate(app); err != nil {
			return err
		}
		if h.Server != nil {
			err = h.Server.Terminate(ctx, target.KeyOf(app))
		} else {
			err = h.Client.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner("causeway-cli"))
		}
		if err != nil {
			return fmt.Errorf("cannot terminate: %w", h.Explain(err))
		}
		return nil
	})
	return app, begun, err
}

// await tells how the operation ended. Of one that had not begun, the state is that of
// the one before.
func (t *terminateFlags) await(ctx context.Context, h *target.Hub, app *v1alpha1.Application, begun bool) error {
	for {
		err := h.Client.Get(ctx, client.ObjectKeyFromObject(app), app)
		begun = begun || err == nil && app.Status.OperationState.Runs()
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("application %s: %w", h.NameOf(app), context.Cause(ctx))
		case target.IsMissing(err): // its deletion waited for nothing else
			_, err := fmt.Fprintf(t.Out, "%s: the operation has ended, and the application is deleted\n", h.NameOf(app))
			return err
		case err != nil:
			return h.Explain(err)
		case !begun:
			_, err := fmt.Fprintf(t.Out, "%s: the operation was taken back before the engine began it\n", h.NameOf(app))
			return err
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
