package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type orphansFlags struct {
	*global

	output string
}

func newOrphans(g *global) *cobra.Command {
	o := &orphansFlags{global: g, output: asTable}
	cmd := &cobra.Command{
		Use:   "orphans APP",
		Short: "List the objects in an application's namespace that no application has",
		Long: "List what is in the destination namespace of an application, belongs to no application and is owned by no\n" +
			"other object. The project has to ask for it (spec.orphanedResources), and says what to ignore.",
		Example:           "  causeway orphans shop-prod",
		Args:              one("an application"),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
		ValidArgsFunction: g.completeApp,
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", o.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (o *orphansFlags) run(ctx context.Context, name string) error {
	if err := checkOutput(o.output, asTable, asWide, asJSON, asYAML); err != nil {
		return err
	}
	h, err := o.reach()
	if err != nil {
		return err
	}
	application, err := h.application(ctx, name)
	if err != nil {
		return err
	}
	found, err := o.find(ctx, h, application)
	if err != nil {
		return h.explain(err)
	}
	if !found.Asked {
		return fmt.Errorf("project %s does not look for orphaned resources: set spec.orphanedResources in it", application.Spec.GetProject())
	}
	return o.print(found)
}

func (o *orphansFlags) find(ctx context.Context, h *hub, application *v1alpha1.Application) (*api.Orphans, error) {
	if h.server != nil {
		return h.server.Orphans(ctx, keyOf(application))
	}
	inspector, err := o.inspect(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	defer inspector.Close()
	found, asked, err := inspector.Orphans(ctx, application)
	out := &api.Orphans{Asked: asked, Objects: make([]api.Unowned, 0, len(found))}
	for _, k := range found {
		out.Objects = append(out.Objects, api.Unowned(k))
	}
	return out, err
}

func (o *orphansFlags) print(found *api.Orphans) error {
	if found.Partial != "" {
		_, _ = fmt.Fprintf(o.Err, "warning: %s\n", screen.Words(found.Partial))
	}
	if !tabular(o.output) {
		return printValue(o.Out, o.output, found.Objects)
	}
	if len(found.Objects) > 0 {
		return o.printTable(orphansTable(found.Objects), o.output)
	}
	if found.Partial == "" {
		_, _ = fmt.Fprintln(o.Err, "no orphaned resources")
	}
	return nil
}

func orphansTable(all []api.Unowned) table {
	t := table{keys: 4, header: []string{"KIND", "GROUP", "NAMESPACE", "NAME"}}
	for _, k := range all {
		t.rows = append(t.rows, []string{k.Kind, dash(k.Group), k.Namespace, k.Name})
	}
	return t
}
