package main

import (
	"fmt"
	"slices"
	"strings"
)

// verdict is what became of the findings, a line each.
type verdict struct{ wrong, excepted []string }

// judge holds findings and exceptions against one another.
func judge(found []finding, known []exception) verdict {
	var out verdict
	for _, f := range found {
		at := slices.IndexFunc(known, func(e exception) bool { return e.ID == f.ID && e.Program == f.Program })
		if at < 0 {
			out.wrong = append(out.wrong, f.told())
			continue
		}
		out.excepted = append(out.excepted, fmt.Sprintf("%s in %s is let be since %s: %s", f.ID, f.Program, known[at].Date, strings.TrimSpace(known[at].Reason)))
	}
	for _, e := range known {
		if !slices.ContainsFunc(found, func(f finding) bool { return e.ID == f.ID && e.Program == f.Program }) {
			out.wrong = append(out.wrong, fmt.Sprintf("%s in %s has an exception and is no longer found: take it out of .govulncheck.yaml", e.ID, e.Program))
		}
	}
	return out
}

// mostNamed is how many functions a line names.
const mostNamed = 3

// told says what it is, where, and what to do.
func (f finding) told() string {
	todo := "there is no version without it: leave the function out, or say in .govulncheck.yaml why it does no harm"
	if f.Fixed != "" {
		todo = "update it to " + f.Fixed
	}
	names := f.Functions[:min(len(f.Functions), mostNamed)]
	more := ""
	if len(f.Functions) > mostNamed {
		more = fmt.Sprintf(" and %d more", len(f.Functions)-mostNamed)
	}
	return fmt.Sprintf("%s in %s: %s (%s %s has %s%s; https://pkg.go.dev/vuln/%s): %s",
		f.ID, f.Program, f.Summary, f.Module, f.Version, strings.Join(names, ", "), more, f.ID, todo)
}
