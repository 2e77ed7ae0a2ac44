package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/live"
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

func newDoctor(g *global) *cobra.Command {
	output := asTable
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine, the hub, the clusters, the repositories and the applications",
		Long: "Check what the engine needs, from the programs on this machine to the applications on the hub, and\n" +
			"say what to do about what is wrong. Exits with 1 when something fails.",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output, asTable, asWide, asJSON, asYAML); err != nil {
				return err
			}
			return g.reportFindings(output, g.examine(cmd.Context()))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "how to print: table, wide, json, yaml")
	return cmd
}

// examine runs all checks; those of the hub only when there is one.
func (g *global) examine(ctx context.Context) []finding {
	found := g.checkMachine(ctx)
	h, err := g.connect()
	if err != nil {
		return append(found, finding{"hub", warn, err.Error(), ""})
	}
	about, reachable := checkHub(ctx, h)
	found = append(found, about...)
	if !reachable {
		return found
	}
	for _, check := range []func(context.Context, *hub) []finding{checkAccess, checkClusters, checkMetadata, checkRepositories, checkApplications, checkHistory} {
		found = append(found, check(ctx, h)...)
	}
	return found
}

func (g *global) reportFindings(output string, found []finding) error {
	if !tabular(output) {
		if err := printValue(g.Out, output, found); err != nil {
			return err
		}
		return verdict(found)
	}
	if err := g.printTable(findingsTable(found, g.style(g.Out)), output); err != nil {
		return err
	}
	return verdict(found)
}

// findingsTable has a line for each finding, and below it what to do.
func findingsTable(found []finding, style live.Style) table {
	t := table{keys: 2, whole: true, bare: true, painted: 3, header: []string{"    ", "", ""}}
	for _, f := range found {
		t.rows = append(t.rows, []string{f.State, f.Check, screen.Words(f.Detail)})
		if f.Fix != "" {
			t.rows = append(t.rows, []string{"", "", style.Dim("→ " + screen.Line(f.Fix))})
		}
	}
	return t
}

// verdict is a failure when a check failed; what is wrong has been said.
func verdict(found []finding) error {
	for _, f := range found {
		if f.State == fail {
			return errSaid
		}
	}
	return nil
}
