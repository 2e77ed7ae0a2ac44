package show

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Tree writes each group with its applications, what it comes from, and what
// changes of each object.
func Tree(w io.Writer, f *forecast.Forecast, o Options) error {
	var b strings.Builder
	heading(&b, f, o)
	for _, g := range f.Groups {
		b.WriteString("\n")
		writeBranch(&b, "", groupBranch(g, o))
	}
	risks(&b, f, o)
	findings(&b, "Failures", f.Failures, o)
	warnings(&b, f.Warnings, o)
	missing(&b, f.Missing, o)
	_, err := io.WriteString(w, b.String())
	return err
}

// branch is a line with what hangs below it.
type branch struct {
	text     string
	children []branch
	// leaves are lines without a joint of their own.
	leaves []string
}

func writeBranch(b *strings.Builder, indent string, br branch) {
	b.WriteString(br.text + "\n")
	stem := indent
	if len(br.children) > 0 {
		stem += "│ "
	} else {
		stem += "  "
	}
	for _, leaf := range br.leaves {
		b.WriteString(stem + leaf + "\n")
	}
	for i, child := range br.children {
		joint, next := "├─ ", "│  "
		if i == len(br.children)-1 {
			joint, next = "└─ ", "   "
		}
		b.WriteString(indent + joint)
		writeBranch(b, indent+next, child)
	}
}

func groupBranch(g forecast.Group, o Options) branch {
	s := o.style()
	out := branch{text: paint(s, g.Change, signs[g.Change]+" "+string(g.Change)) + " " + s.Title(short(g.Title, o, 12))}
	out.children = append(out.children, applications(g, o))
	if len(g.Causes) > 0 {
		causes := branch{text: s.Dim("because")}
		for _, c := range g.Causes {
			causes.children = append(causes.children, branch{text: short(causeText(c), o, 9)})
		}
		out.children = append(out.children, causes)
	}
	if len(g.Fields) > 0 {
		out.children = append(out.children, branch{text: "the Application itself", leaves: drawn(fieldLines(g.Fields), o)})
	}
	for _, object := range g.Objects {
		out.children = append(out.children, objectBranch(object, o))
	}
	return out
}

const maxNames = 8

func applications(g forecast.Group, o Options) branch {
	out := branch{text: o.style().Dim(gitops.Count(len(g.Applications), "application"))}
	for i, a := range g.Applications {
		if i == maxNames && len(g.Applications) > maxNames+1 {
			out.children = append(out.children, branch{text: "… " + gitops.More(len(g.Applications)-maxNames)})
			break
		}
		text := a.Name + " on " + a.Cluster
		if a.Parent != "" {
			text += " of " + a.Parent
		}
		out.children = append(out.children, branch{text: short(text, o, 9)})
	}
	return out
}

func causeText(c forecast.Cause) string {
	at := place(c.File, c.Line)
	switch {
	case at == "":
		return c.What
	case c.Line == 0 && strings.Contains(c.What, c.File):
		return c.What
	case strings.HasPrefix(c.What, c.File):
		return at + strings.TrimPrefix(c.What, c.File)
	}
	return c.What + " (" + at + ")"
}

func objectBranch(object forecast.Object, o Options) branch {
	s := o.style()
	name := short(objectName(object), o, 9)
	text := paint(s, object.Change, signs[object.Change]) + " " + name
	if at := place(object.File, object.Line); at != "" && ansi.StringWidth(name) < o.width()-20 {
		text += " " + s.Dim(short(at, o, 9+ansi.StringWidth(name)))
	}
	return branch{text: text, leaves: drawn(objectLines(object), o)}
}

// maxLines is how many lines of one object the tree shows.
const maxLines = 80

// drawn colours lines, and cuts them off at the width and after the most.
func drawn(lines []line, o Options) []string {
	s := o.style()
	limit := maxLines
	out := make([]string, 0, min(len(lines), limit)+1)
	for i, l := range lines {
		if i == limit && len(lines) > limit+1 {
			return append(out, s.Dim("… "+gitops.Count(len(lines)-limit, "more line")))
		}
		text := ansi.Truncate(string(l.sign)+" "+l.text, o.width()-6, "…")
		switch l.sign {
		case '+':
			text = s.Added(text)
		case '-':
			text = s.Removed(text)
		default:
			text = s.Dim(text)
		}
		out = append(out, text)
	}
	return out
}

// short makes one line of a text that fits behind some columns.
func short(text string, o Options, taken int) string {
	return ansi.Truncate(screen.Line(text), o.width()-taken, "…")
}
