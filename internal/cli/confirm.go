package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
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
	h, err := c.connect()
	if err != nil {
		return err
	}
	app, err := h.application(ctx, name)
	if err != nil {
		return err
	}
	asking := unconfirmed(app)
	if len(asking) == 0 {
		return fmt.Errorf("nothing of application %s waits for a confirmation", name)
	}
	for _, r := range asking {
		_, _ = fmt.Fprintf(c.Out, "%s %s\n", r.Kind, strings.TrimPrefix(r.Namespace+"/"+r.Name, "/"))
	}
	if err := c.ask(ctx, c.yes, "Delete these", "--yes"); err != nil {
		return err
	}
	at := time.Now()
	if since := askedAt(app); at.Before(since) {
		at = since // the hub's clock is ahead of ours
	}
	if err := annotate(ctx, h, app, v1alpha1.AnnotationDeletionApproved, at.UTC().Format(time.RFC3339)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s: %s confirmed\n", name, gitops.Count(len(asking), "deletion"))
	return err
}

// askedAt is when what waits for a confirmation began; zero when nothing does.
func askedAt(app *v1alpha1.Application) time.Time {
	if app.DeletionTimestamp != nil {
		return app.DeletionTimestamp.Time
	}
	if st := app.Status.OperationState; st != nil && !st.Phase.Completed() {
		return st.StartedAt.Time
	}
	return time.Time{}
}

// unconfirmed are the objects that ask before they are deleted, and whose
// turn it is.
func unconfirmed(app *v1alpha1.Application) []v1alpha1.ResourceStatus {
	since := askedAt(app)
	given, err := time.Parse(time.RFC3339, app.Annotations[v1alpha1.AnnotationDeletionApproved])
	if since.IsZero() || err == nil && !given.Before(since) {
		return nil
	}
	var out []v1alpha1.ResourceStatus
	for _, r := range app.Status.Resources {
		if r.RequiresDeletionConfirmation && (r.RequiresPruning || app.DeletionTimestamp != nil) {
			out = append(out, r)
		}
	}
	return out
}

func annotate(ctx context.Context, h *hub, o client.Object, key, value string) error {
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("cannot copy a %T", o)
	}
	all := map[string]string{key: value}
	for k, v := range o.GetAnnotations() {
		if k != key {
			all[k] = v
		}
	}
	o.SetAnnotations(all)
	if err := h.client.Patch(ctx, o, client.MergeFrom(before), client.FieldOwner("causeway-cli")); err != nil {
		return fmt.Errorf("cannot set the annotation %s: %w", key, h.explain(err))
	}
	return nil
}
