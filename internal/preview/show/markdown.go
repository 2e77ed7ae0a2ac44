package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

const (
	standardLimit = 60_000
	leastLimit    = 2_000
)

// Markdown writes one comment for a pull request. It keeps under the limit
// of the options: what is cut is the middle of the largest differences
// first, never a fence or a tag, and a line says what is missing.
func Markdown(w io.Writer, f *forecast.Forecast, o Options) error {
	limit := o.Limit
	if limit == 0 {
		limit = standardLimit
	}
	p := &page{left: max(limit, leastLimit), command: code(clip(o.command()+" --output tree", 120))}
	p.must("**" + inline(verdict(f)) + "**\n\n")
	if heading := sides(f); heading != " → " {
		p.must("<sub>" + inline(clip(heading, 160)) + "</sub>\n\n")
	}
	p.table(f.Groups)
	p.list("\n### Risks\n\n", riskLines(f), 3)
	fresh, known := parted(f.Failures)
	p.list("\n### New failures\n\n", findingLines(fresh), 3)
	freshWarnings, knownWarnings := parted(f.Warnings)
	p.list("\n### New warnings\n\n", findingLines(freshWarnings), 4)
	p.list("\n### Sources that cannot be read from here\n\n", missingLines(f.Missing), 5)
	p.groups(f.Groups)
	p.folded("Failures that were there before", findingLines(known))
	p.folded("Warnings that were there before", findingLines(knownWarnings))
	_, err := io.WriteString(w, p.text.String())
	return err
}

// page is a comment under way.
type page struct {
	text strings.Builder
	// left is how many bytes may follow.
	left    int
	command string
}

func (p *page) must(text string) {
	p.text.WriteString(text)
	p.left -= len(text)
}

// rest is what is kept for the line that tells how many more there are.
const rest = 160

// list writes as many lines as go into a share of the space that is left.
func (p *page) list(title string, lines []string, share int) {
	if len(lines) == 0 {
		return
	}
	budget := p.left/share - len(title) - rest
	if budget <= 0 {
		return
	}
	p.must(title)
	for i, l := range lines {
		if budget -= len(l); budget < 0 {
			p.must(fmt.Sprintf("- … %s: %s shows them\n", gitops.More(len(lines)-i), p.command))
			return
		}
		p.must(l)
	}
}

// folded writes a list that opens on request, if all of it, or most, fits.
func (p *page) folded(title string, lines []string) {
	const frame = 80
	if len(lines) == 0 || p.left < 2*rest+frame+len(title) {
		return
	}
	p.must("\n<details><summary>" + title + " (" + strconv.Itoa(len(lines)) + ")</summary>\n\n")
	tail := "\n</details>\n"
	p.left -= len(tail)
	p.list("", lines, 1)
	p.left += len(tail)
	p.must(tail)
}

func (p *page) table(groups []forecast.Group) {
	if len(groups) == 0 {
		return
	}
	rows := make([]string, len(groups))
	for i, g := range groups {
		risk := ""
		if len(g.Risks) > 0 {
			risk = "⚠ " + strconv.Itoa(len(g.Risks))
		}
		rows[i] = "| " + strings.Join([]string{
			signs[g.Change] + " " + string(g.Change), cell(g.Title), objectCounts(g), risk, cell(images(g)), cell(cause(g)),
		}, " | ") + " |\n"
	}
	head := "| change | applications | objects | risks | images | cause |\n|---|---|---|---|---|---|\n"
	budget := p.left/3 - len(head) - rest
	p.must(head)
	for i, row := range rows {
		if budget -= len(row); budget < 0 {
			p.must(fmt.Sprintf("| … | %d more groups | | | | %s shows them |\n", len(rows)-i, p.command))
			return
		}
		p.must(row)
	}
}

// maxCell bounds a cell of a table, in bytes.
const maxCell = 120

func cell(text string) string { return inline(clip(text, maxCell)) }

func riskLines(f *forecast.Forecast) []string {
	var out []string
	for _, g := range f.Groups {
		for _, r := range g.Risks {
			out = append(out, fmt.Sprintf("- ⚠ **%s** %s: %s (%s)\n", inline(string(r.Kind)), code(r.Object), inline(r.Message), inline(g.Title)))
		}
	}
	return out
}

func parted(all []forecast.Finding) (fresh, known []forecast.Finding) {
	all = sorted(all)
	n := newOnes(all)
	return all[:n], all[n:]
}

func findingLines(all []forecast.Finding) []string {
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = "- **" + inline(f.Reason) + "** " + inline(f.Message)
		if at := where(f); at != "" {
			out[i] += " (" + code(at) + ")"
		}
		out[i] += "\n"
	}
	return out
}

func missingLines(all []forecast.Missing) []string {
	out := make([]string, len(all))
	for i, m := range all {
		out[i] = fmt.Sprintf("- %s: %s (%s)", code(missingName(m)), inline(m.Message), gitops.Count(len(m.Applications), "application"))
		if m.Command != "" {
			out[i] += "; " + code(m.Command) + " fetches it"
		}
		out[i] += "\n"
	}
	return out
}
