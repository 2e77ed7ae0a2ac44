package record

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/past"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// named refuses an id without a value: in a script that is a variable which has none, and
// the newest sync was not what was meant.
func named(ids []string) error {
	for _, id := range ids {
		if strings.TrimSpace(id) == "" {
			return command.Usagef("a sync is named by nothing: see why the variable that it came from is empty, or write an ID or TRACE of causeway history")
		}
	}
	return nil
}

// flags are those of commands that print something of the history.
type flags struct {
	past.Flags

	output string
}

func (p *flags) register(f *pflag.FlagSet, outputs string) {
	p.Register(f)
	f.StringVarP(&p.output, "output", "o", p.output, "how to print: "+outputs)
}

type historyFlags struct {
	flags

	limit int
	diff  bool
}

// NewHistory returns the command history.
func NewHistory(g *command.Global) *cobra.Command {
	h := &historyFlags{flags: flags{Flags: past.Flags{Global: g}, output: table.AsTable}}
	cmd := &cobra.Command{
		Use:   "history APP [--diff A B]",
		Short: "List what was synced: when, by whom, with what result",
		Long: "List the syncs of an application, the newest first. ID is that of the Application's status.history, where a\n" +
			"sync is in it; TRACE names each of them. With --diff, show what differs between the manifests of two syncs.",
		Example: "  causeway history shop\n  causeway history shop --diff 3 5\n  causeway rollback shop 3",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return command.Usagef("name an application")
			case h.diff && len(args) != 3:
				return command.Usagef("--diff takes two syncs, as in causeway history %s --diff 3 5", args[0])
			case !h.diff && len(args) > 1:
				return command.TooMany(cmd, args[1])
			}
			return named(args[1:])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "history-file"); err != nil {
				return err
			}
			return h.run(cmd.Context(), args)
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	h.register(cmd.Flags(), "table, wide, json, yaml")
	cmd.Flags().IntVar(&h.limit, "limit", 20, "how many syncs to list")
	cmd.Flags().BoolVar(&h.diff, "diff", false, "show what differs between the manifests of two syncs")
	return cmd
}

func (h *historyFlags) run(ctx context.Context, args []string) error {
	if err := table.CheckOutput(h.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	p, err := h.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer p.Close()
	if h.diff {
		return h.compare(ctx, p, args[1], args[2])
	}
	list, err := p.From.List(ctx, p.App.Namespace, p.App.Name, min(max(h.limit, 1), past.MostSyncs))
	if err != nil {
		return err
	}
	if !table.Tabular(h.output) {
		return table.PrintValue(h.Out, h.output, append([]history.Sync{}, list...))
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(h.Err, "application %s has no history yet\n", p.App.Name)
		return err
	}
	return table.Print(h.Global, historyTable(list, time.Now()), h.output)
}

func historyTable(all []history.Sync, now time.Time) table.Table {
	t := table.Table{Keys: 2, Wrapped: []string{"CAUSE"}, Header: []string{"ID", "TRACE", "WHEN", "TOOK", "CAUSE", "REVISION", "RESULT", "CHANGED", "MESSAGE"}}
	for i := range all {
		t.Rows = append(t.Rows, historyRow(&all[i], now))
	}
	return t
}

func historyRow(s *history.Sync, now time.Time) []string {
	id := "-"
	if s.History != nil {
		id = strconv.FormatInt(*s.History, 10)
	}
	return []string{id, past.TraceID(s), table.Age(s.Started, now), took(s), past.Caused(s), past.RevisionsOf(s), s.Phase, changed(s.Changed), screen.Words(s.Message)}
}

func took(s *history.Sync) string {
	if s.Finished.IsZero() {
		return "-"
	}
	return live.Seconds(s.Finished.Sub(s.Started))
}

// changed is "+2 ~1 -1 !1": created, changed, pruned, failed.
func changed(c history.Counts) string {
	var parts []string
	for _, p := range []struct {
		sign string
		n    int
	}{{"+", c.Created}, {"~", c.Changed}, {"-", c.Pruned}, {"!", c.Failed}} {
		if p.n > 0 {
			parts = append(parts, p.sign+strconv.Itoa(p.n))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " ")
}

func (h *historyFlags) compare(ctx context.Context, p *past.Application, from, to string) error {
	a, err := p.Find(ctx, from)
	if err != nil {
		return err
	}
	b, err := p.Find(ctx, to)
	if err != nil {
		return err
	}
	d, err := p.From.Diff(ctx, a.ID, b.ID)
	if err != nil {
		return err
	}
	if !table.Tabular(h.output) {
		return table.PrintValue(h.Out, h.output, d)
	}
	return printDifference(h.Out, h.Style(h.Out), d)
}

func printDifference(out io.Writer, style live.Style, d *chronicle.Difference) error {
	if len(d.Objects) == 0 {
		_, err := fmt.Fprintln(out, "no differences")
		return err
	}
	var b strings.Builder
	for _, o := range d.Objects {
		b.WriteString(style.Title(fmt.Sprintf("%s %s %s", o.Change, o.Kind, gitops.NameIn(o.Namespace, o.Name))) + "\n")
		for _, f := range o.Fields {
			writeField(&b, style, f)
		}
		if o.Omitted > 0 {
			fmt.Fprintf(&b, "  and %s more\n", gitops.Count(o.Omitted, "field"))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func writeField(b *strings.Builder, style live.Style, f forecast.Field) {
	b.WriteString("  " + f.Path + "\n")
	if f.Masked {
		b.WriteString("    " + style.Dim("differs, and is not shown") + "\n")
		return
	}
	if f.Old != nil {
		b.WriteString(style.Removed("  - "+table.CompactJSON(f.Old)) + "\n")
	}
	if f.New != nil {
		b.WriteString(style.Added("  + "+table.CompactJSON(f.New)) + "\n")
	}
}
