package main

import (
	"context"
	"io"
	"slices"
	"strings"
)

// mostAgain is how many tests may fail and be tried once more: where more do, it is not for the weather.
const mostAgain = 5

// retried is a test that failed, with what came of its second try.
type retried struct {
	first outcome
	well  bool
}

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

// final is a failure that says the same at each try, or must not happen once.
func final(o outcome) bool {
	return strings.Contains(o.Test, "Conformance") || strings.Contains(o.said, "DATA RACE") || strings.Contains(o.said, "[build failed]")
}

func (s *suite) retry(ctx context.Context, e *ended, bad []outcome) {
	var r result
	err := s.logged(e.name+" again", func(log io.Writer) { r = e.work.again(ctx, log, bad) })
	well := err == nil && ctx.Err() == nil && len(r.cases) > 0 && len(failures(r.cases)) == 0
	for _, o := range bad {
		s.tried = append(s.tried, retried{first: o, well: well})
	}
	s.tellAgain(e.task, well)
}

// left are the failures that count: those that failed for good.
func (s *suite) left() []outcome {
	mended := map[string]bool{}
	for _, t := range s.tried {
		if t.well {
			mended[t.first.name()] = true
		}
	}
	var out []outcome
	for _, e := range s.ended {
		for _, o := range failures(e.cases) {
			if !mended[o.name()] {
				out = append(out, o)
			}
		}
	}
	return out
}

// flaky are those that passed only at a later try.
func (s *suite) flaky() []outcome {
	var out []outcome
	for _, t := range s.tried {
		if t.well {
			out = append(out, t.first)
		}
	}
	for _, e := range s.ended {
		for _, o := range e.cases {
			if o.Flaky {
				out = append(out, o)
			}
		}
	}
	return out
}
