package doctor

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// finding is one line of `doctor`.
type finding struct {
	Check string `json:"check"`
	// State is ok, warn or fail.
	State  string `json:"state"`
	Detail string `json:"detail"`
	// Fix says what to do.
	Fix string `json:"fix,omitempty"`
}

// The states of a finding.
const (
	fine = "ok"
	warn = "warn"
	fail = "fail"
)

// New returns the command doctor.
func New(g *command.Global) *cobra.Command {
	output := table.AsTable
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine, the hub, the clusters, the repositories and the applications",
		Long: "Check what the engine needs, from the programs on this machine to the applications on the hub, and\n" +
			"say what to do about what is wrong. Exits with 1 when something fails.",
		Args: command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := table.CheckOutput(output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
				return err
			}
			return reportFindings(g, output, examine(cmd.Context(), g))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "how to print: table, wide, json, yaml")
	return cmd
}

// examine runs all checks; those of the hub only when there is one.
func examine(ctx context.Context, g *command.Global) []finding {
	found := checkMachine(ctx, g)
	h, err := target.Connect(g)
	if err != nil {
		return append(found, finding{"hub", warn, err.Error(), ""})
	}
	about, reachable := checkHub(ctx, h)
	found = append(found, about...)
	if !reachable {
		return found
	}
	for _, check := range []func(context.Context, *target.Hub) []finding{checkAccess, checkClusters, checkMetadata, checkRepositories, checkApplications, checkHistory} {
		found = append(found, check(ctx, h)...)
	}
	return found
}

func reportFindings(g *command.Global, output string, found []finding) error {
	if !table.Tabular(output) {
		if err := table.PrintValue(g.Out, output, found); err != nil {
			return err
		}
		return verdict(found)
	}
	if err := table.Print(g, findingsTable(found, g.Style(g.Out)), output); err != nil {
		return err
	}
	return verdict(found)
}

// findingsTable has a line for each finding, and below it what to do.
func findingsTable(found []finding, style live.Style) table.Table {
	t := table.Table{Keys: 2, Whole: true, Bare: true, Painted: 3, Header: []string{"    ", "", ""}}
	for _, f := range found {
		t.Rows = append(t.Rows, []string{f.State, f.Check, screen.Words(f.Detail)})
		if f.Fix != "" {
			t.Rows = append(t.Rows, []string{"", "", style.Dim("→ " + screen.Line(f.Fix))})
		}
	}
	return t
}

// verdict is a failure when a check failed; what is wrong has been said.
func verdict(found []finding) error {
	for _, f := range found {
		if f.State == fail {
			return command.ErrSaid
		}
	}
	return nil
}
