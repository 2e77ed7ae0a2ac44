package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

type versions struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(g *global) *cobra.Command {
	output := asTable
	cmd := &cobra.Command{
		Use: "version [-o table|json|yaml]", Short: "Print the version", Args: none,
		RunE: func(*cobra.Command, []string) error {
			v := versions{Version: g.version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if err := checkOutput(output, asTable, asJSON, asYAML); err != nil {
				return err
			}
			if output != asTable {
				return printValue(g.Out, output, v)
			}
			_, err := fmt.Fprintf(g.Out, "causeway %s (%s, %s)\n", v.Version, v.Go, v.Platform)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "how to print: table, json, yaml")
	return cmd
}
