package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// terminateWithin is how long the engine may take to end an operation.
const terminateWithin = time.Minute

type terminateFlags struct{ *global }

func newTerminate(g *global) *cobra.Command {
	t := &terminateFlags{global: g}
	return &cobra.Command{
		Use:   "terminate APP",
		Short: "End the sync that an application is busy with",
		Long: "End the operation that runs, or waits for its next try. Hooks that run are deleted; what has been applied stays.\n" +
			"An application with automated sync tries the same revision again only when it, or the spec, changes.",
		Example: "  causeway terminate shop",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name the application whose sync is to end")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args[0]) },
		ValidArgsFunction: g.completeApp,
	}
}

func (t *terminateFlags) run(ctx context.Context, name string) error {
	h, err := t.connect()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, terminateWithin, fmt.Errorf("the engine has not ended it within %s: see whether it runs", terminateWithin))
	defer cancel()
	app, err := h.application(ctx, name)
	if err != nil {
		return err
	}
	if app.Operation == nil && !operates(app) {
		return fmt.Errorf("application %s is busy with nothing", name)
	}
	before := app.DeepCopy()
	app.Operation = nil
	if operates(app) {
		app.Status.OperationState.Phase = v1alpha1.OperationTerminating
	}
	if err := h.client.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner("causeway-cli")); err != nil {
		return fmt.Errorf("cannot terminate: %w", h.explain(err))
	}
	return t.await(ctx, h, name)
}

// operates tells whether an operation runs, or waits for its next try.
func operates(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st != nil && !st.Phase.Completed()
}

func (t *terminateFlags) await(ctx context.Context, h *hub, name string) error {
	for {
		app, err := h.application(ctx, name)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("application %s: %w", name, context.Cause(ctx))
		case err != nil:
			return err
		case !operates(app):
			_, err := fmt.Fprintf(t.Out, "%s: %s\n", app.Name, oneLine(message(app)))
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(followPause):
		}
	}
}
