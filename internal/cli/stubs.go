package cli

import "github.com/spf13/cobra"

func stub(name string) *cobra.Command { return &cobra.Command{Use: name, RunE: func(*cobra.Command, []string) error { return nil }} }
func newRun(g *global) *cobra.Command { return stub("run") }
func newTree(g *global) *cobra.Command { return stub("tree") }
func newDiff(g *global) *cobra.Command { return stub("diff") }
func newRender(g *global) *cobra.Command { return stub("render") }
func newLogs(g *global) *cobra.Command { return stub("logs") }
func newDoctor(g *global) *cobra.Command { return stub("doctor") }
func newSync(g *global) *cobra.Command { return stub("sync") }
