package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Flags are those of the command diff.
type Flags struct {
	*command.Global

	Output  string
	mirrors []string
}

// Difference is one object that a sync would change, as it is printed.
type Difference struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Action    string `json:"action"`
	Source    string `json:"source,omitempty"`
	Drifted   string `json:"drifted,omitempty"`
	// Kept tells why a sync leaves it although it is no longer in the sources.
	Kept    string   `json:"kept,omitempty"`
	Changes []change `json:"changes,omitempty"`
}

type change struct {
	Path string `json:"path,omitempty"`
	Old  any    `json:"old,omitempty"`
	New  any    `json:"new,omitempty"`
}

// New returns the command diff.
func New(g *command.Global) *cobra.Command {
	d := &Flags{Global: g, Output: "diff"}
	cmd := &cobra.Command{
		Use:   "diff APP…",
		Short: "Show what a sync would change, by dry runs on the destination cluster",
		Long: "Show what a sync of applications would change now. The API server of the destination says what would\n" +
			"become of each object, defaults and webhooks included. Exits with 3 when something would change.",
		Example: "  causeway diff addon-dev-reloader\n  causeway diff addon-dev-reloader -o name",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("name the applications to compare")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringVarP(&d.Output, "output", "o", d.Output, "how to print: diff, table, wide, json, yaml, name")
	cmd.Flags().StringArrayVar(&d.mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; can be repeated")
	return cmd
}

func (d *Flags) run(ctx context.Context, names []string) error {
	if err := table.CheckOutput(d.Output, "diff", table.AsTable, table.AsWide, table.AsJSON, table.AsYAML, table.AsName); err != nil {
		return err
	}
	mirrors, err := command.SteadyMirrors(d.mirrors)
	if err != nil {
		return err
	}
	h, err := target.ReachWithout(d.Global, d.mirrors)
	if err != nil {
		return err
	}
	inspector, err := target.Look(ctx, d.Global, h, mirrors)
	if err != nil {
		return err
	}
	defer inspector.Close()
	var all []plan.ObjectDiff
	for _, name := range command.Compact(names) {
		application, err := h.Application(ctx, name)
		if err != nil {
			return err
		}
		found, err := inspector.Diff(ctx, application)
		if err != nil {
			return fmt.Errorf("cannot compare application %s: %w", name, h.Explain(err))
		}
		all = append(all, found...)
	}
	if err := d.Print(all); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o plan.ObjectDiff) bool { return o.Kept == "" }) {
		return command.ErrChanges
	}
	return nil
}

// Print prints differences as the flags say.
func (d *Flags) Print(all []plan.ObjectDiff) error {
	switch d.Output {
	case table.AsJSON, table.AsYAML:
		return table.PrintValue(d.Out, d.Output, Differences(all))
	case table.AsName:
		for _, o := range all {
			if _, err := fmt.Fprintln(d.Out, screen.Line(table.Qualified(o.Key.Kind, o.Key.Group)+"/"+o.Key.Name)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(d.Err, "no differences")
		return err
	}
	if table.Tabular(d.Output) {
		return table.Print(d.Global, diffTable(all), d.Output)
	}
	style := d.Style(d.Out)
	for _, o := range all {
		text, err := o.Diff.Unified()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(d.Out, Painting(text, Heading(o), style)); err != nil {
			return err
		}
	}
	return nil
}

// Heading says in a line what would become of an object, and in lines of their own why.
// Whoever wrote the sources named the files: their names add no lines.
func Heading(o plan.ObjectDiff) string {
	name := gitops.NameIn(o.Key.Namespace, o.Key.Name)
	text := fmt.Sprintf("%s %s %s", o.Verb, o.Key.Kind, name)
	if at := o.Origin.String(); at != "" {
		text += " (" + screen.Line(at) + ")"
	}
	if o.Kept != "" {
		text += "\nit is no longer in the sources and stays: " + screen.Words(o.Kept)
	}
	if o.Drifted != "" {
		text += "\nit " + screen.Words(o.Drifted)
	}
	return text
}

// Painting puts the heading above a unified difference and colours its lines.
func Painting(text, heading string, style live.Style) string {
	var b strings.Builder
	for line := range strings.SplitSeq(heading, "\n") { // together they would be filled with blanks
		b.WriteString(style.Title(line) + "\n")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			continue
		case strings.HasPrefix(line, "@@"):
			line = style.Dim(line)
		case strings.HasPrefix(line, "+"):
			line = style.Added(line)
		case strings.HasPrefix(line, "-"):
			line = style.Removed(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String() + "\n"
}

func diffTable(all []plan.ObjectDiff) table.Table {
	t := table.Table{Keys: 4, Header: []string{"ACTION", "KIND", "NAMESPACE", "NAME", "CHANGES"}}
	for _, o := range Differences(all) {
		t.Rows = append(t.Rows, []string{o.Action, o.Kind, table.Dash(o.Namespace), o.Name, paths(o)})
	}
	return t
}

func paths(o Difference) string {
	if o.Kept != "" {
		return o.Kept
	}
	var all []string
	for _, c := range o.Changes {
		if c.Path != "" {
			all = append(all, c.Path)
		}
	}
	return strings.Join(all, ", ")
}

// Differences are those of objects in the form that is printed as JSON.
func Differences(all []plan.ObjectDiff) []Difference {
	out := make([]Difference, 0, len(all))
	for _, o := range all {
		one := Difference{
			Group: o.Key.Group, Kind: o.Key.Kind, Namespace: o.Key.Namespace, Name: o.Key.Name,
			Action: string(o.Verb), Source: o.Origin.String(), Drifted: o.Drifted, Kept: o.Kept,
		}
		for _, c := range o.Diff.Changes {
			one.Changes = append(one.Changes, change{Path: c.Path, Old: c.Old, New: c.New})
		}
		out = append(out, one)
	}
	return out
}
