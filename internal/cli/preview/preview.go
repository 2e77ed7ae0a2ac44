package preview

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/show"
)

type previewFlags struct {
	checkout.Flags

	base   string
	head   string
	exact  bool
	output string
	limit  int
	failOn []string
}

// What --fail-on can name.
const (
	failDeletions  = "deletions"
	failCRDs       = "crd-changes"
	failImmutable  = "immutable"
	failUnresolved = "unresolved"
	failWarnings   = "warnings"
	failFailures   = "failures"
)

var allFailOn = []string{failDeletions, failCRDs, failImmutable, failUnresolved, failWarnings, failFailures}

// New returns the command preview.
func New(g *command.Global) *cobra.Command {
	p := &previewFlags{Flags: checkout.Flags{Global: g}, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what a change does to every application on every cluster, without any cluster",
		Long: "Expand all ApplicationSets and app-of-apps of a repository at two revisions, for every cluster, render the\n" +
			"applications that can differ, and show what becomes of them. No cluster is needed. Exits with 3 when\n" +
			"something changes, with 1 when the change breaks an application, when its effect on one cannot be determined, or when --fail-on\n" +
			"finds something.",
		Example: "  causeway preview --base origin/main --clusters clusters/\n" +
			"  causeway preview --base origin/main --head HEAD --clusters fleet.yaml -o markdown > comment.md\n" +
			"  causeway preview --base HEAD --clusters clusters/ --secret-change prod.yaml",
		Args: command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.Emptied(cmd.Flags(), "base", "head", "fail-on"); err != nil {
				return err
			}
			return p.run(cmd.Context())
		},
	}
	p.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&p.base, "base", "", "revision as things are (default: origin's default branch, or HEAD where there is no origin)")
	f.StringVar(&p.head, "head", "", "revision as things would be (default: the work tree, with uncommitted edits)")
	f.BoolVar(&p.exact, "exact", false, "compare with the base itself, not with the commit at which head left it")
	f.StringArrayVar(&p.Changes, "secret-change", nil, "file with a cluster Secret as it would be; can be repeated")
	f.StringVarP(&p.output, "output", "o", p.output, "how to print: table, tree, json, yaml, markdown, html")
	f.IntVar(&p.limit, "max-bytes", defaultComment, "with -o markdown: the most bytes, as hosts limit comments")
	f.StringSliceVar(&p.failOn, "fail-on", nil, "fail when there are: "+strings.Join(allFailOn, ", "))
	return cmd
}

// defaultComment fits into a comment of GitHub's, with room for a frame.
const (
	defaultComment = 60_000 // bytes
	leastComment   = 2_000  // bytes
)

func (p *previewFlags) run(ctx context.Context) error {
	if err := p.check(); err != nil {
		return err
	}
	made, err := p.make(ctx)
	if err != nil {
		return err
	}
	if err := p.print(made); err != nil {
		return err
	}
	if found := failing(made, p.failOn); len(found) > 0 {
		_, _ = fmt.Fprintf(p.Err, "failed, because of --fail-on %s\n", strings.Join(found, ", "))
		return command.ErrSaid
	}
	return answer(made)
}

// answer is what the exit code says. A change that breaks an application, or
// of which nothing can be told, is not one that changes nothing. One that mends
// what could not be told before is a change.
func answer(f *forecast.Forecast) error {
	switch {
	case newFailures(f) || f.Summary.Untold > 0:
		return command.ErrSaid
	case len(f.Groups) > 0 || f.Summary.Unknown > 0:
		return command.ErrChanges
	}
	return nil
}

func newFailures(f *forecast.Forecast) bool {
	return slices.ContainsFunc(f.Failures, func(w forecast.Finding) bool { return w.New }) ||
		slices.ContainsFunc(f.Missing, func(m forecast.Missing) bool { return m.New })
}

func (p *previewFlags) check() error {
	for _, f := range p.failOn {
		if !slices.Contains(allFailOn, f) {
			return command.Usagef("--fail-on does not know %q%s; it knows %s", f, gitops.DidYouMean(f, allFailOn), strings.Join(allFailOn, ", "))
		}
	}
	if p.limit < leastComment {
		return command.Usagef("--max-bytes %d is too little to say anything: give at least %d", p.limit, leastComment)
	}
	return table.CheckOutput(p.output, table.AsTable, table.AsTree, table.AsJSON, table.AsYAML, table.AsMarkdown, table.AsHTML)
}

// make compares the two sides.
func (p *previewFlags) make(ctx context.Context) (*forecast.Forecast, error) {
	progress := command.NewProgress(p.Err)
	defer progress.End()
	c, err := p.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	base, branch, err := p.baseOf(ctx, c)
	if err != nil {
		return nil, err
	}
	before, err := c.SideOf(ctx, base, branch)
	if err != nil {
		return nil, err
	}
	if before.Revision = p.base; p.base == "" {
		before.Revision = branch
	}
	after, err := c.ChangedSide(ctx, p.head, branch)
	if err != nil {
		return nil, err
	}
	return preview.Make(ctx, before, after, preview.Options{Namespace: p.Namespace, Roots: p.Roots, Progress: progress.Show})
}

// baseOf is the commit to compare with, and the branch that it is of.
func (p *previewFlags) baseOf(ctx context.Context, c *checkout.Checkout) (revision, branch string, err error) {
	base := p.base
	if base == "" {
		if base, err = c.DefaultBase(ctx); err != nil {
			return "", "", err
		}
	}
	if branch, err = checkout.BranchOf(ctx, c, base); err != nil {
		return "", "", err
	}
	if p.exact {
		return base, branch, nil
	}
	head := p.head
	if head == "" {
		head = "HEAD"
	}
	revision, err = c.MergeBase(ctx, base, head)
	return revision, branch, err
}

func (p *previewFlags) print(f *forecast.Forecast) error {
	o := show.Options{Width: command.WidthOf(p.Out), Limit: p.limit, Style: p.Style(p.Out), Command: p.command()}
	write := map[string]func(io.Writer, *forecast.Forecast, show.Options) error{
		table.AsTable: show.Table, table.AsTree: show.Tree, table.AsJSON: show.JSON, table.AsYAML: show.YAML, table.AsMarkdown: show.Markdown, table.AsHTML: show.HTML,
	}
	out := p.Out
	if p.output == table.AsJSON || p.output == table.AsYAML {
		out = command.Exact(out)
	}
	return write[p.output](out, f, o)
}

// command is this preview as one would type it again.
func (p *previewFlags) command() string {
	words := []string{"causeway preview"}
	for _, f := range []struct{ name, value string }{{"base", p.base}, {"head", p.head}, {"clusters", p.Clusters}} {
		if f.value != "" {
			words = append(words, "--"+f.name, f.value)
		}
	}
	return strings.Join(words, " ")
}

// failing names the conditions of --fail-on that hold.
func failing(f *forecast.Forecast, on []string) []string {
	holds := map[string]bool{
		failDeletions:  hasRisk(f, forecast.RiskDeletion) || f.Summary.Removed > 0 || f.Summary.Objects.Removed > 0,
		failCRDs:       hasRisk(f, forecast.RiskCRDChanged) || hasRisk(f, forecast.RiskCRDRemoved),
		failImmutable:  hasRisk(f, forecast.RiskImmutable),
		failUnresolved: slices.ContainsFunc(f.Warnings, func(w forecast.Finding) bool { return w.New && w.Reason == "UnresolvedParameter" }),
		failWarnings:   slices.ContainsFunc(f.Warnings, func(w forecast.Finding) bool { return w.New }),
		failFailures:   len(f.Missing) > 0 || newFailures(f) || f.Summary.Untold > 0,
	}
	var out []string
	for _, name := range on {
		if holds[name] {
			out = append(out, name)
		}
	}
	return out
}

func hasRisk(f *forecast.Forecast, kind forecast.RiskKind) bool {
	for _, g := range f.Groups {
		for _, r := range g.Risks {
			if r.Kind == kind {
				return true
			}
		}
	}
	return false
}
