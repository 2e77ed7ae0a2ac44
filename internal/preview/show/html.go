package show

import (
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"sign":   func(c forecast.Change) string { return signs[c] },
	"counts": objectCounts, "object": objectName, "place": place, "cause": causeText, "image": imageChange,
	"where": where, "missing": missingName, "count": gitops.Count,
	"diff": func(o forecast.Object) []htmlLine { return htmlLines(objectLines(o)) },
	"own":  func(g forecast.Group) []htmlLine { return htmlLines(fieldLines(g.Fields)) },
}).Parse(pageText))

// htmlPage is what the template is given.
type htmlPage struct {
	*forecast.Forecast
	Verdict, Sides string
	Style          template.CSS
	Policy         string
	Bar            []barPart
	Matrix         matrix
	Failures       []forecast.Finding
	Warnings       []forecast.Finding
	Risks          []groupRisk
}

type groupRisk struct {
	forecast.Risk
	Group int
	Title string
}

type htmlLine struct {
	Class, Sign, Text string
}

var lineClasses = map[byte]string{'+': "add", '-': "del", ' ': "ctx", '#': "head"}

func htmlLines(lines []line) []htmlLine {
	out := make([]htmlLine, len(lines))
	for i, l := range lines {
		out[i] = htmlLine{Class: lineClasses[l.sign], Sign: string(l.sign), Text: l.text}
	}
	return out
}

// HTML writes one page that needs neither the network nor scripts.
func HTML(w io.Writer, f *forecast.Forecast, _ Options) error {
	sum := sha256.Sum256([]byte(pageStyle))
	p := htmlPage{
		Forecast: f, Verdict: verdict(f), Sides: sides(f),
		Style:  template.CSS(pageStyle), //nolint:gosec // our own file
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Bar:    bar(f.Summary), Matrix: newMatrix(f),
		Failures: sorted(f.Failures), Warnings: sorted(f.Warnings),
	}
	for i, g := range f.Groups {
		for _, r := range g.Risks {
			p.Risks = append(p.Risks, groupRisk{r, i, g.Title})
		}
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("cannot write the preview as HTML: %w", err)
	}
	return nil
}

// barPart is a part of the picture of all applications, in units of a
// thousandth of its width.
type barPart struct {
	Class, Word string
	N           int
	X, Width    float64
}

func bar(s forecast.Summary) []barPart {
	parts := []barPart{
		{Class: "added", Word: "added", N: s.Added}, {Class: "changed", Word: "changed", N: s.Changed},
		{Class: "removed", Word: "removed", N: s.Removed}, {Class: "unknown", Word: "cannot be determined", N: s.Unknown},
		{Class: "same", Word: "unchanged", N: s.Unchanged},
	}
	total := s.Added + s.Changed + s.Removed + s.Unknown + s.Unchanged
	if total == 0 {
		return nil
	}
	x := 0.0
	for i := range parts {
		parts[i].X, parts[i].Width = x, 1000*float64(parts[i].N)/float64(total)
		x += parts[i].Width
	}
	return parts
}
