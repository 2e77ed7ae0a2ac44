package differences

import (
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// AsDiff prints unified differences.
const AsDiff = "diff"

// Print prints differences in a form of output: each unified with AsDiff.
func Print(g *command.Global, output string, all []plan.ObjectDiff) error {
	switch output {
	case table.AsJSON, table.AsYAML:
		return table.PrintValue(g.Out, output, Printed(all))
	case table.AsName:
		for _, o := range all {
			if _, err := fmt.Fprintln(g.Out, screen.Line(table.Qualified(o.Key.Kind, o.Key.Group)+"/"+o.Key.Name)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(g.Err, "no differences")
		return err
	}
	if table.Tabular(output) {
		return table.Print(g, diffTable(all), output)
	}
	style := g.Style(g.Out)
	for _, o := range all {
		text, err := o.Diff.Unified()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(g.Out, Painted(text, Heading(o), style)); err != nil {
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

// Painted puts the heading above a unified difference and colours its lines.
func Painted(text, heading string, style live.Style) string {
	var b strings.Builder
	for line := range strings.SplitSeq(heading, "\n") { // together they would be filled with blanks
		b.WriteString(style.Title(line) + "\n")
	}
	body := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		body = body || strings.HasPrefix(line, "@@")
		switch {
		case !body: // the names of both sides; below it a field's own name may begin so
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
	for _, o := range Printed(all) {
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
