package get

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type windowsFlags struct {
	*command.Global

	output string
}

// NewWindows returns the command windows.
func NewWindows(g *command.Global) *cobra.Command {
	w := &windowsFlags{Global: g, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "windows APP",
		Short: "Show which sync windows apply to an application, and when it may sync next",
		Long: "List the sync windows of the project that concern an application: which are active, when each of them opens\n" +
			"or closes next, and when an automated and a manual sync may run.",
		Example:           "  causeway windows shop-prod",
		Args:              command.One("an application"),
		RunE:              func(cmd *cobra.Command, args []string) error { return w.run(cmd.Context(), args[0]) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringVarP(&w.output, "output", "o", w.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (w *windowsFlags) run(ctx context.Context, name string) error {
	if err := table.CheckOutput(w.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	h, err := target.Reach(w.Global)
	if err != nil {
		return err
	}
	application, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	s, err := target.Schedule(ctx, h, application)
	if err != nil {
		return h.Explain(err)
	}
	if !table.Tabular(w.output) {
		return table.PrintValue(w.Out, w.output, s)
	}
	return w.print(s)
}

func (w *windowsFlags) print(s *api.Schedule) error {
	_, _ = fmt.Fprintf(w.Out, "automated sync: %s\nmanual sync:    %s\n", s.Automated, s.Manual)
	if len(s.Windows) == 0 {
		_, _ = fmt.Fprintf(w.Out, "no sync window of project %s concerns %s\n", s.Project, s.Application)
		return nil
	}
	_, _ = fmt.Fprintln(w.Out)
	return table.Print(w.Global, windowsTable(s), w.output)
}

func windowsTable(s *api.Schedule) table.Table {
	t := table.Table{Keys: 1, Header: []string{"WINDOW", "KIND", "SCHEDULE", "DURATION", "ZONE", "ACTIVE", "UNTIL", "NOTE"}}
	for _, line := range s.Windows {
		active, until := "no", "-"
		if line.Active {
			active = "yes"
		}
		if line.Changes != nil {
			until = line.Changes.Format(time.RFC3339)
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(line.Index), line.Kind, line.Schedule, line.Duration, orUTC(line.TimeZone), active, until, screen.Words(line.Note)})
	}
	return t
}

func orUTC(zone string) string {
	if zone == "" {
		return "UTC"
	}
	return zone
}
