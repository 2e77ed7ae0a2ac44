package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// section is a group of a comment: everything but its difference is short
// and written whole.
type section struct {
	open, close string
	lines       []string
	// fence stands around the lines; empty when there are none.
	fence string
	// size of the lines, in bytes.
	size int
}

const detailsEnd = "\n</details>\n"

// note is kept for the line that tells how much of a section is left out.
const note = 200

// groups writes the sections: all of them where they fit. Otherwise the
// largest differences give way first, to one common size.
func (p *page) groups(groups []forecast.Group) {
	if len(groups) == 0 {
		return
	}
	budget := p.left - rest
	var all []section
	for _, g := range groups {
		s := newSection(g)
		if budget -= len(s.open) + 2*len(s.fence) + len(s.close) + note; budget < 0 {
			break
		}
		all = append(all, s)
	}
	most := fair(all, budget)
	for _, s := range all {
		p.section(s, most)
	}
	if n := len(groups) - len(all); n > 0 && p.left >= rest {
		p.must(fmt.Sprintf("\n%s left out: %s shows the differences\n", gitops.Count(n, "more group"), p.command))
	}
}

// fair is the size to which differences are cut so that all fit.
func fair(all []section, budget int) int {
	sizes := make([]int, len(all))
	for i, s := range all {
		sizes[i] = s.size
	}
	slices.Sort(sizes)
	for i, size := range sizes {
		share := budget / (len(sizes) - i)
		if size > share {
			return max(share, 0)
		}
		budget -= size
	}
	return 1 << 30
}

func (p *page) section(s section, most int) {
	shown, size := 0, 0
	for shown < len(s.lines) && size+len(s.lines[shown]) <= most {
		size += len(s.lines[shown])
		shown++
	}
	p.must(s.open)
	if shown > 0 {
		p.must("\n" + s.fence + "diff\n" + strings.Join(s.lines[:shown], "") + s.fence + "\n")
	}
	if cut := len(s.lines) - shown; cut > 0 {
		p.must(fmt.Sprintf("\n… %s left out: %s shows them\n", gitops.Count(cut, "more line"), p.command))
	}
	p.must(s.close)
}

func newSection(g forecast.Group) section {
	var open strings.Builder
	fmt.Fprintf(&open, "\n<details><summary>%s %s: %s%s</summary>\n\n", signs[g.Change], g.Change, summaryText(g.Title), riskMark(g))
	open.WriteString(memberText(g))
	for i, c := range g.Causes {
		if i == 5 && len(g.Causes) > 6 {
			open.WriteString("- … " + gitops.More(len(g.Causes)-i) + " edits\n")
			break
		}
		open.WriteString("- because of " + inline(clip(causeText(c), 200)) + "\n")
	}
	diff := groupLines(g)
	if len(diff) == 0 {
		return section{open: open.String(), close: detailsEnd}
	}
	s := section{close: detailsEnd}
	longest := 2
	for _, l := range diff {
		text := strings.TrimRight(clip(string(l.sign)+" "+l.text, maxDiffLine), " ") + "\n"
		longest = max(longest, longestRun(text))
		s.lines = append(s.lines, text)
		s.size += len(text)
	}
	s.open, s.fence = open.String(), strings.Repeat("`", longest+1)
	return s
}

// maxDiffLine bounds a line of a difference in a comment, in bytes.
const maxDiffLine = 500

// summaryText is for a line of HTML: Markdown is not read there.
func summaryText(text string) string {
	text = reference.ReplaceAllString(clip(screen.Line(text), 160), "${1}"+zero+"${2}")
	return htmlText.Replace(text)
}

var htmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@"+zero, "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;")

func riskMark(g forecast.Group) string {
	if len(g.Risks) == 0 {
		return ""
	}
	return " (⚠ " + gitops.Count(len(g.Risks), "risk") + ")"
}

// memberText names the applications, the first ones of many.
func memberText(g forecast.Group) string {
	const most = 12
	names := gitops.FewOf(g.Applications, most, func(a forecast.Application) string { return code(clip(a.Name+" on "+a.Cluster, 120)) })
	if len(names) == 0 {
		return ""
	}
	return gitops.Count(len(g.Applications), "application") + ": " + strings.Join(names, ", ") + "\n\n"
}

// groupLines is the difference of a group, a comment line before each object.
func groupLines(g forecast.Group) []line {
	var out []line
	if len(g.Fields) > 0 {
		out = append(out, line{'#', "Application"})
		out = append(out, fieldLines(g.Fields)...)
	}
	for _, o := range g.Objects {
		title := signs[o.Change] + " " + screen.Line(objectName(o))
		if at := place(o.File, o.Line); at != "" {
			title += "  " + screen.Line(at)
		}
		out = append(out, line{'#', title})
		out = append(out, objectLines(o)...)
	}
	return out
}
