package main

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
)

// mostAgain is how many tests may fail and be tried once more: where more do, it is not for the weather.
const mostAgain = 5

// again tries what failed once more, each task by itself, with nothing beside it.
func (s *suite) again(ctx context.Context) {
	var left []int
	count := 0
	for i := range s.ended {
		bad := failures(s.ended[i].cases)
		count += len(bad)
		if len(bad) > 0 {
			left = append(left, i)
		}
	}
	if count > mostAgain {
		return
	}
	for _, i := range left {
		e := &s.ended[i]
		bad := slices.DeleteFunc(failures(e.cases), final)
		if len(bad) == 0 || ctx.Err() != nil {
			continue
		}
		s.retry(ctx, e, bad)
	}
}

// comparing are tests that hold what the engine does to what others do, or were seen to do: a difference is one though a
// second try does not show it. They are known by their names, which a test holds to what they read.
var comparing = regexp.MustCompile(`^Test\w*(Conformance|Differential|AgreeWith|AsTheirAuthorsTestThem)|^TestRecorded`)

// final is a failure that says the same at each try, or must not happen once.
func final(o outcome) bool {
	return comparing.MatchString(topOf(o.Test)) || strings.Contains(o.said, "DATA RACE") || strings.Contains(o.said, "[build failed]")
}

func (s *suite) retry(ctx context.Context, e *ended, bad []outcome) {
	var r result
	err := s.logged(e.name+" again", func(log io.Writer) { r = e.work.again(ctx, log, bad) })
	well := err == nil && ctx.Err() == nil && len(r.cases) > 0 && len(failures(r.cases)) == 0 &&
		!slices.ContainsFunc(bad, func(o outcome) bool { return !r.passes(o) })
	if well {
		e.mended = bad
	}
	s.tellAgain(e.task, well)
}

// passes reports whether a result in which nothing failed has run what failed before. A package that failed as a whole
// was run as a whole, and a subtest passes with its test.
func (r result) passes(o outcome) bool {
	return o.Test == "" || slices.ContainsFunc(r.cases, func(c outcome) bool {
		return c.Status == passed && c.Package == o.Package && (c.Test == o.Test || c.Test == topOf(o.Test))
	})
}

// left are the failures that count: those that failed for good.
func (s *suite) left() []outcome {
	var out []outcome
	for _, e := range s.ended {
		out = append(out, slices.DeleteFunc(failures(e.cases), func(o outcome) bool { return slices.Contains(e.mended, o) })...)
	}
	return out
}

// flaky are those that passed only at a later try.
func (s *suite) flaky() []outcome {
	var out []outcome
	for _, e := range s.ended {
		out = append(out, e.mended...)
		for _, o := range e.cases {
			if o.Flaky {
				out = append(out, o)
			}
		}
	}
	return out
}
