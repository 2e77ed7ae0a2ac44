package preview

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type lintFlags struct {
	checkout.Flags

	revision string
	output   string
	strict   bool
}

// LintResult is what lint prints as JSON or YAML.
type LintResult struct {
	Applications int                `json:"applications"`
	Sets         int                `json:"applicationSets"`
	Clusters     []string           `json:"clusters"`
	Failures     []forecast.Finding `json:"failures"`
	Warnings     []forecast.Finding `json:"warnings"`
	Missing      []forecast.Missing `json:"missing"`
}

// NewLint returns the command lint.
func NewLint(g *command.Global) *cobra.Command {
	l := &lintFlags{Flags: checkout.Flags{Global: g}, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Find what is wrong or likely a mistake in a repository, for every cluster",
		Long: "Expand and render everything that a repository declares, for every cluster, and list what fails and what is\n" +
			"likely a mistake although it works: placeholders that no generator fills, keys that stand twice, fields\n" +
			"that do not exist, value files that exist for no cluster, selectors that match nothing, two generators\n" +
			"that yield one name. Exits with 1 when something fails, and with --strict also for warnings.",
		Example: "  causeway lint --clusters clusters/\n  causeway lint --repo ../fleet --clusters fleet.yaml -o json",
		Args:    command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.Emptied(cmd.Flags(), "revision"); err != nil {
				return err
			}
			return l.run(cmd.Context())
		},
	}
	l.Register(cmd)
	cmd.Flags().StringVar(&l.revision, "revision", "", "revision to look at (default: the work tree, with uncommitted edits)")
	cmd.Flags().StringVarP(&l.output, "output", "o", l.output, "how to print: table, wide, json, yaml")
	cmd.Flags().BoolVar(&l.strict, "strict", false, "fail on warnings, too")
	return cmd
}

func (l *lintFlags) run(ctx context.Context) error {
	if err := table.CheckOutput(l.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	found, err := l.find(ctx)
	if err != nil {
		return err
	}
	result := LintResult{
		Applications: len(found.State.Apps), Sets: len(found.State.Sets), Clusters: found.State.Side.Roster.Names(),
		Failures: list(found.Failures), Warnings: list(found.Warnings), Missing: list(found.Missing),
	}
	if err := l.print(result); err != nil {
		return err
	}
	if len(result.Failures) > 0 || len(result.Missing) > 0 || (l.strict && len(result.Warnings) > 0) {
		return command.ErrSaid
	}
	return nil
}

func (l *lintFlags) find(ctx context.Context) (*preview.Report, error) {
	progress := command.NewProgress(l.Err)
	defer progress.End()
	c, err := l.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	side, err := l.At(ctx, c, l.revision)
	if err != nil {
		return nil, err
	}
	return preview.Lint(ctx, side, preview.Options{Namespace: l.Namespace, Roots: l.Roots, Progress: progress.Show})
}

func (l *lintFlags) print(r LintResult) error {
	if !table.Tabular(l.output) {
		return table.PrintValue(l.Out, l.output, r)
	}
	if t := lintTable(r); len(t.Rows) > 0 {
		if err := table.Print(l.Global, t, l.output); err != nil {
			return err
		}
	}
	for _, fix := range fixes(r.Missing) {
		if _, err := fmt.Fprintf(l.Err, "to have what is missing: %s\n", fix); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(l.Err, "%s of %s on %s: %s, %s\n", gitops.Count(r.Applications, "application"), gitops.Count(r.Sets, "set"),
		gitops.Count(len(r.Clusters), "cluster"), gitops.Count(len(r.Failures)+len(r.Missing), "error"), gitops.Count(len(r.Warnings), "warning"))
	return err
}

func lintTable(r LintResult) table.Table {
	t := table.Table{Keys: 2, Whole: true, Header: []string{"", "WHERE", "WHAT"}}
	for _, f := range r.Failures {
		t.Rows = append(t.Rows, []string{"error", place(f), screen.Words(f.Message) + onClusters(f)})
	}
	for _, m := range r.Missing {
		t.Rows = append(t.Rows, []string{"error", neededBy(m), screen.Words(m.Message)})
	}
	for _, f := range r.Warnings {
		t.Rows = append(t.Rows, []string{"warn", place(f), screen.Words(f.Message) + onClusters(f)})
	}
	return t
}

// neededBy names who needs a source that is missing.
func neededBy(m forecast.Missing) string {
	if len(m.Applications) == 0 {
		return "-"
	}
	return gitops.Listed(m.Applications, 1)
}

// fixes are the commands that fetch what is missing, each once.
func fixes(all []forecast.Missing) []string {
	var out []string
	for _, m := range all {
		if m.Command != "" && !slices.Contains(out, m.Command) {
			out = append(out, m.Command)
		}
	}
	return out
}

// list is never null where it is printed.
func list[T any](all []T) []T { return append([]T{}, all...) }
