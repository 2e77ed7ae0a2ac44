package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type confirmFlags struct {
	*global

	yes bool
}

func newConfirm(g *global) *cobra.Command {
	c := &confirmFlags{global: g}
	cmd := &cobra.Command{
		Use:   "confirm APP",
		Short: "Confirm deletions that wait for it: Prune=confirm and Delete=confirm",
		Long: "List the objects that ask before they are deleted and whose turn it is, and confirm their deletion. It counts for\n" +
			"the sync or deletion that is under way, and for no later one.",
		Example:           "  causeway confirm shop",
		Args:              one("the application"),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args[0]) },
		ValidArgsFunction: g.completeApp,
	}
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (c *confirmFlags) run(ctx context.Context, name string) error {
	h, err := c.reach()
	if err != nil {
		return err
	}
	app, err := h.application(ctx, name)
	if err != nil {
		return err
	}
	asking := approval.Unconfirmed(app)
	if len(asking) == 0 {
		return fmt.Errorf("nothing of application %s waits for a confirmation", name)
	}
	for _, k := range asking {
		_, _ = fmt.Fprintln(c.Out, screen.Line(gitops.ObjectName(k.Kind, k.Namespace, k.Name)))
	}
	if err := c.ask(ctx, c.yes, "Delete these", "--yes"); err != nil {
		return err
	}
	if err := c.confirm(ctx, h, app, guard.Digest(approval.NamesOf(asking))); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s: %s confirmed\n", name, gitops.Count(len(asking), "deletion"))
	return err
}

func (c *confirmFlags) confirm(ctx context.Context, h *hub, app *v1alpha1.Application, digest string) error {
	if h.server != nil {
		return h.explain(h.server.Confirm(ctx, keyOf(app), &api.Confirmation{Digest: digest}))
	}
	before := app.DeepCopy()
	if err := approval.Confirm(app, digest, time.Now()); err != nil {
		return err
	}
	return h.patch(ctx, before, app)
}

// patch writes what differs from before.
func (h *hub) patch(ctx context.Context, before, o client.Object) error {
	if err := h.client.Patch(ctx, o, client.MergeFrom(before), client.FieldOwner("causeway-cli")); err != nil {
		return fmt.Errorf("cannot change %s: %w", o.GetName(), h.explain(err))
	}
	return nil
}
