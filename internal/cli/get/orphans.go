package get

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type orphansFlags struct {
	*command.Global

	output string
}

// NewOrphans returns the command orphans.
func NewOrphans(g *command.Global) *cobra.Command {
	o := &orphansFlags{Global: g, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "orphans APP",
		Short: "List the orphaned resources in an application's namespace",
		Long: "List what is in the destination namespace of an application, belongs to no application and is owned by no\n" +
			"other object. The project has to ask for it (spec.orphanedResources), and says what to ignore.",
		Example:           "  causeway orphans shop-prod",
		Args:              command.One("an application"),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", o.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (o *orphansFlags) run(ctx context.Context, name string) error {
	if err := table.CheckOutput(o.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	h, err := target.Reach(o.Global)
	if err != nil {
		return err
	}
	application, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	found, err := o.find(ctx, h, application)
	if err != nil {
		return h.Explain(err)
	}
	if !found.Asked {
		return fmt.Errorf("project %s does not look for orphaned resources: set spec.orphanedResources in it", application.Spec.GetProject())
	}
	return o.print(found)
}

func (o *orphansFlags) find(ctx context.Context, h *target.Hub, application *v1alpha1.Application) (*api.Orphans, error) {
	if h.Server != nil {
		return h.Server.Orphans(ctx, target.KeyOf(application))
	}
	inspector, err := target.Inspect(ctx, o.Global, h, nil)
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
	if !table.Tabular(o.output) {
		return table.PrintValue(o.Out, o.output, found.Objects)
	}
	if len(found.Objects) > 0 {
		return table.Print(o.Global, orphansTable(found.Objects), o.output)
	}
	if found.Partial == "" {
		_, _ = fmt.Fprintln(o.Err, "no orphaned resources")
	}
	return nil
}

func orphansTable(all []api.Unowned) table.Table {
	t := table.Table{Keys: 4, Header: []string{"KIND", "GROUP", "NAMESPACE", "NAME"}}
	for _, k := range all {
		t.Rows = append(t.Rows, []string{k.Kind, table.Dash(k.Group), k.Namespace, k.Name})
	}
	return t
}
