package cli

import (
	"encoding/json"
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
	output := "table"
	cmd := &cobra.Command{
		Use: "version [-o table|json]", Short: "Print the version", Args: none,
		RunE: func(*cobra.Command, []string) error {
			v := versions{Version: g.version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			switch output {
			case "table":
				_, err := fmt.Fprintf(g.Out, "causeway %s (%s, %s)\n", v.Version, v.Go, v.Platform)
				return err
			case "json":
				encoder := json.NewEncoder(g.Out)
				encoder.SetIndent("", "  ")
				return encoder.Encode(v)
			}
			return usagef("cannot print as %q: use table or json", output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "how to print: table, json")
	return cmd
}
