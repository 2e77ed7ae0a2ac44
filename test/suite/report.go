package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// slowest is how many tests are named for their time, or for being skipped.
	slowest = 10
	// mostTold is how many failures are named at the end: what is read are the last twenty lines.
	mostTold = 16
	// mostLines of a failure are printed where it happens; its log has the rest.
	mostLines = 60
)

// clock prints a time as minutes and seconds.
func clock(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%3d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// tell prints what came of a task as soon as it is over.
func (s *suite) tell(e ended) {
	bad := failures(e.cases)
	word := "ok  "
	if len(bad) > 0 {
		word = "FAIL"
	}
	fmt.Fprintf(s.out, "%s %s %s: %d tests in %s\n", clock(time.Since(s.began)), word, e.name, count(e.cases, passed), clock(e.took))
	for _, o := range bad {
		fmt.Fprintf(s.out, "--- FAIL: %s\n%s\n", o.name(), head(o.said))
	}
}

func (s *suite) tellAgain(t task, well bool) {
	word := "FAIL again"
	if well {
		word = "ok at the second try"
	}
	fmt.Fprintf(s.out, "%s %s: %s\n", clock(time.Since(s.began)), word, t.name)
}

// head are the first lines of a text.
func head(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], fmt.Sprintf("… and %d lines more", len(lines)-mostLines))
	}
	return strings.Join(lines, "\n")
}

func count(cases []outcome, s status) int {
	n := 0
	for _, o := range cases {
		if o.Test != "" && o.Status == s {
			n++
		}
	}
	return n
}

// report prints how it ended, what matters most last, and reports whether all is well.
func (s *suite) report() bool {
	var cases []outcome
	for _, e := range s.ended {
		cases = append(cases, e.cases...)
		for _, note := range e.notes {
			fmt.Fprintln(s.out, note)
		}
	}
	s.reportTimes(cases)
	s.reportSkipped(cases)
	for _, lack := range lacking() {
		fmt.Fprintf(s.out, "not tested: %s\n", lack)
	}
	left, flaky, known := s.left(), s.flaky(), s.book.twice()
	fmt.Fprintf(s.out, "%d tests passed, %d skipped, %d failed in %s\n", count(cases, passed), count(cases, skipped), len(left), clock(time.Since(s.began)))
	for _, o := range flaky {
		fmt.Fprintf(s.out, "FLAKY: %s: %s (write it into %s)\n", o.name(), o.First, flakyFile)
	}
	for _, name := range known {
		fmt.Fprintf(s.out, "FAILED: %s stands twice in %s: mend it, then take it out there\n", name, flakyFile)
	}
	for i, o := range left {
		if i == mostTold {
			fmt.Fprintf(s.out, "FAILED: and %d more\n", len(left)-mostTold)
			break
		}
		fmt.Fprintf(s.out, "FAILED: %s: %s\n", o.name(), o.First)
	}
	return len(left) == 0 && len(known) == 0
}

// reportSkipped prints which tests did not run here, and why: what this machine lacks is not tested.
func (s *suite) reportSkipped(cases []outcome) {
	told := 0
	for _, o := range cases {
		if o.Status != skipped {
			continue
		}
		if told++; told <= slowest {
			fmt.Fprintf(s.out, "skipped: %s: %s\n", o.name(), o.First)
		}
	}
	if told > slowest {
		fmt.Fprintf(s.out, "skipped: and %d more\n", told-slowest)
	}
}

// reportTimes prints how long the tasks took, and the slowest tests.
func (s *suite) reportTimes(cases []outcome) {
	var tasks []string
	for _, e := range s.ended {
		tasks = append(tasks, fmt.Sprintf("%s%s (%.0f s)", e.name, clock(e.took), e.busy.Seconds()))
	}
	fmt.Fprintf(s.out, "tasks, and what they took of the processors: %s\n", strings.Join(tasks, ", "))
	cases = slices.DeleteFunc(slices.Clone(cases), func(o outcome) bool { return o.Test == "" || strings.Contains(o.Test, "/") })
	slices.SortFunc(cases, func(a, b outcome) int { return int(1000 * (b.Seconds - a.Seconds)) })
	fmt.Fprintln(s.out, "slowest tests:")
	for _, o := range cases[:min(slowest, len(cases))] {
		fmt.Fprintf(s.out, "  %6.1f s  %s\n", o.Seconds, o.name())
	}
}
