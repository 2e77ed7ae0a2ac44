package record

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/past"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

type traceFlags struct{ flags }

// NewTrace returns the command trace.
func NewTrace(g *command.Global) *cobra.Command {
	t := &traceFlags{flags{Flags: past.Flags{Global: g}, output: table.AsTable}}
	cmd := &cobra.Command{
		Use:   "trace APP [SYNC]",
		Short: "Draw a sync in time: its waves, its objects, and health afterwards",
		Long: "Draw the last sync of an application, or the one with an ID or TRACE of causeway history: which commit, when\n" +
			"each wave began and was healthy, what became of each object and how long it took, and how health moved after.",
		Example: "  causeway trace shop\n  causeway trace shop 3\n  causeway trace shop 4f2a91c0 -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return command.Usagef("name an application, and a sync if not the last one is asked for")
			}
			return named(args[1:])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "history-file"); err != nil {
				return err
			}
			return t.run(cmd.Context(), args[0], strings.Join(args[1:], ""))
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	t.register(cmd.Flags(), "table, json, yaml")
	return cmd
}

func (t *traceFlags) run(ctx context.Context, name, id string) error {
	if err := table.CheckOutput(t.output, table.AsTable, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	p, err := t.Open(ctx, name)
	if err != nil {
		return err
	}
	defer p.Close()
	found, err := p.Find(ctx, id)
	if err != nil {
		return err
	}
	trace, err := p.From.Trace(ctx, found.ID)
	if err != nil {
		return err
	}
	if t.output != table.AsTable {
		return table.PrintValue(t.Out, t.output, trace)
	}
	_, err = io.WriteString(t.Out, drawTrace(trace, t.Style(t.Out), table.Width(t.Global, t.output), time.Now()))
	return err
}

// The bar of a trace takes spanWidth columns, at the right.
const (
	spanWidth   = 24
	timesWidth  = 20
	mostObjects = 60 // of a wave
)

// canvas draws rows of a trace on one scale of time.
type canvas struct {
	b      strings.Builder
	style  live.Style
	width  int
	start  time.Time
	length time.Duration
}

func drawTrace(t *syncs.Trace, style live.Style, width int, now time.Time) string {
	s := t.Sync
	end := cmp.Or(s.Finished, now)
	c := &canvas{style: style, width: max(width, 60), start: s.Started}
	if first := firstStart(s); !first.IsZero() && first.Before(c.start) {
		c.start = first
	}
	c.length = max(end.Sub(c.start), time.Millisecond)
	c.heading(s, now)
	for i := range s.Waves {
		c.wave(&s.Waves[i], end)
	}
	c.left(s)
	c.changes(t.Changes)
	return c.b.String()
}

// firstStart is when the first wave began: an operation's own time has whole
// seconds alone.
func firstStart(s *history.Sync) time.Time {
	if len(s.Waves) == 0 {
		return time.Time{}
	}
	return s.Waves[0].Started
}

func (c *canvas) line(text string) { c.b.WriteString(strings.TrimRight(text, " ") + "\n") }

func (c *canvas) heading(s *history.Sync, now time.Time) {
	c.line(c.style.Title(fmt.Sprintf("%s: %s sync", s.App.Name, past.Caused(s))) + " " + c.style.Word(s.Phase) + " " +
		c.style.Dim(fmt.Sprintf("%s ago, took %s, trace %s", table.Age(s.Started, now), took(s), s.ID)))
	for _, commit := range s.Commits {
		text := "  " + commit.RepoURL + " at " + table.Dash(gitops.ShortRevision(commit.Revision))
		if commit.Subject != "" {
			text += fmt.Sprintf(": %q by %s", screen.Words(commit.Subject), commit.Author)
		}
		c.line(ansi.Truncate(text, c.width, "…"))
	}
	if s.Of != "" {
		c.line("  back to sync " + s.Of)
	}
	text := fmt.Sprintf("  %s: %s", gitops.Count(s.Changed.Total, "object"), changed(s.Changed))
	if s.Retries > 0 {
		text += fmt.Sprintf("; %d retries", s.Retries)
	}
	c.line(text)
	if s.Message != "" {
		c.line(ansi.Truncate("  "+screen.Words(s.Message), 3*c.width, "…"))
	}
	c.line("")
}

func (c *canvas) wave(w *history.Wave, end time.Time) {
	over := cmp.Or(w.Ended, end)
	label := fmt.Sprintf("%s wave %d", w.Phase, w.Number)
	if w.Phase != gitops.Sync && w.Number == 0 {
		label = string(w.Phase)
	}
	if w.Try > 0 {
		label += fmt.Sprintf(" (try %d)", w.Try+1)
	}
	c.row(c.style.Title(label), w.Started, over.Sub(w.Started), '━')
	for i := range min(len(w.Objects), mostObjects) {
		c.object(&w.Objects[i])
	}
	if more := len(w.Objects) - mostObjects; more > 0 {
		c.line("  " + gitops.More(more) + ": see -o json")
	}
	if w.Unchanged > 0 {
		c.line("  and " + gitops.Count(w.Unchanged, "object") + " unchanged")
	}
	if w.Repeated > 0 {
		c.line("  and " + gitops.Count(w.Repeated, "object") + " that later waves tell of")
	}
}

// left tells what the history has not kept of a sync.
func (c *canvas) left(s *history.Sync) {
	if s.LeftOut > 0 {
		c.line(fmt.Sprintf("of tries 2 to %d, only objects are kept that no later try has", s.LeftOut+1))
	}
	if s.Omitted.Total > 0 {
		c.line(gitops.Count(s.Omitted.Total, "object") + " are not kept: there were too many")
	}
}

func (c *canvas) object(o *history.Object) {
	name := gitops.NameIn(o.Namespace, o.Name)
	what := outcome(o)
	span, mark := o.Took, '■'
	if !o.Healthy.IsZero() && o.Healthy.After(o.Started) {
		span = o.Healthy.Sub(o.Started)
		what += ", healthy"
	}
	text := "  " + what + " " + o.Kind + " " + name
	if o.Status == "SyncFailed" {
		text = "  " + c.style.Word("Failed") + " " + o.Kind + " " + name + ": " + screen.Words(o.Message)
	}
	c.row(text, o.Started, span, mark)
}

// outcome is what became of an object, in a word.
func outcome(o *history.Object) string {
	if o.Hook {
		return "hook " + o.Outcome()
	}
	return o.Outcome()
}

// row is a label, when it began, how long it took, and a bar.
func (c *canvas) row(label string, started time.Time, took time.Duration, mark rune) {
	room := c.width - spanWidth - timesWidth - 2
	text := ansi.Truncate(label, room, "…")
	text += strings.Repeat(" ", max(0, room-ansi.StringWidth(text)))
	if started.IsZero() {
		c.line(text)
		return
	}
	times := fmt.Sprintf(" %9s %9s ", "+"+brief(started.Sub(c.start)), brief(took))
	c.line(text + c.style.Dim(times) + c.bar(started.Sub(c.start), took, mark))
}

// bar places a span on the scale.
func (c *canvas) bar(from, took time.Duration, mark rune) string {
	at := min(max(int(int64(from)*spanWidth/int64(c.length)), 0), spanWidth-1)
	long := min(max(int(int64(took)*spanWidth/int64(c.length)), 1), spanWidth-at)
	return strings.Repeat(" ", at) + strings.Repeat(string(mark), long)
}

// brief is a duration in few columns.
func brief(d time.Duration) string {
	switch {
	case d <= 0:
		return "0"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func (c *canvas) changes(all []history.Change) {
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b history.Change) int { return a.At.Compare(b.At) })
	c.line("")
	c.line(c.style.Title("Health"))
	for i, change := range all {
		if i == mostObjects {
			c.line("  " + gitops.More(len(all)-mostObjects) + ": see -o json")
			return
		}
		what := "the application"
		if change.Kind != "" {
			what = gitops.ObjectName(change.Kind, change.Namespace, change.Name)
		}
		text := fmt.Sprintf("  %9s  %s: %s → %s", "+"+brief(change.At.Sub(c.start)), what, table.Dash(string(change.From)), change.To)
		if change.Message != "" {
			text += ": " + screen.Words(change.Message)
		}
		c.line(ansi.Truncate(text, c.width, "…"))
	}
}
