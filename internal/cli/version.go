package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

type versions struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(g *command.Global) *cobra.Command {
	output := table.AsTable
	cmd := &cobra.Command{
		Use: "version [-o table|json|yaml]", Short: "Print the version", Args: command.None,
		RunE: func(*cobra.Command, []string) error {
			v := versions{Version: g.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if err := table.CheckOutput(output, table.AsTable, table.AsJSON, table.AsYAML); err != nil {
				return err
			}
			if output != table.AsTable {
				return table.PrintValue(g.Out, output, v)
			}
			_, err := fmt.Fprintf(g.Out, "causeway %s (%s, %s)\n", v.Version, v.Go, v.Platform)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "how to print: table, json, yaml")
	return cmd
}
