package cli

import "github.com/spf13/cobra"

func stub(name string) *cobra.Command { return &cobra.Command{Use: name, RunE: func(*cobra.Command, []string) error { return nil }} }
func newDiff(g *global) *cobra.Command { return stub("diff") }
func newRender(g *global) *cobra.Command { return stub("render") }
