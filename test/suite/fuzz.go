package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"
)

// fuzzFor is how long each fuzz test makes up input in the long tier; how much go test takes around it is much the same.
const fuzzFor = 5 * time.Second

// fuzzing is fuzz tests one after the other: go test makes up input for one at a time, on all cores that it is given.
type fuzzing []goTests

// do implements work.
func (f fuzzing) do(ctx context.Context, log io.Writer) result {
	var all result
	for _, g := range f {
		if ctx.Err() != nil {
			break
		}
		r := g.do(ctx, log)
		all.cases, all.busy = append(all.cases, ofFuzz(g, inTime(r.cases))...), all.busy+r.busy
	}
	return all
}

// again implements work. What was made up and failed is kept beside the test by then, and is tried first.
func (f fuzzing) again(ctx context.Context, log io.Writer, failed []outcome) result {
	return slices.DeleteFunc(slices.Clone(f), func(g goTests) bool {
		return !slices.ContainsFunc(failed, func(o outcome) bool {
			return o.whole || slices.Contains(g.packages, o.Package) && g.run == fuzzRun(topOf(o.Test))
		})
	}).do(ctx, log)
}

// ofFuzz gives what failed as a whole the name of the fuzz test that ran: its package has others, each with a process of
// its own, and what comes of one says nothing of the next.
func ofFuzz(g goTests, cases []outcome) []outcome {
	bad := failures(cases)
	cases = slices.DeleteFunc(slices.Clone(cases), func(o outcome) bool { return o.Test == "" })
	for _, o := range bad {
		if o.Test == "" {
			o.Package, o.Test, o.whole = g.packages[0], strings.Trim(g.run, "^$"), false
			cases = append(cases, o)
		}
	}
	return cases
}

// inTime takes a fuzz test as passed whose time ended and of which Go says that alone: it compares two errors that are not
// yet the same one in that moment. Of an input that fails it says where that is written.
func inTime(cases []outcome) []outcome {
	over := func(o outcome) bool {
		return o.Status == failed && strings.Contains(o.said, "context deadline exceeded") && !strings.Contains(o.said, "Failing input written to")
	}
	if !slices.ContainsFunc(cases, func(o outcome) bool { return o.Test != "" && over(o) }) {
		return cases
	}
	cases = slices.Clone(cases)
	for i := range cases {
		if over(cases[i]) || cases[i].Status == failed && cases[i].Test == "" {
			cases[i].Status, cases[i].First, cases[i].said = passed, "", ""
		}
	}
	return cases
}

// topOf is the test whose subtest a test is, or the test itself.
func topOf(test string) string {
	top, _, _ := strings.Cut(test, "/")
	return top
}

func fuzzRun(name string) string { return "^" + name + "$" }

// fuzzTask is the fuzz tests of all packages.
func fuzzTask(packages []string) (task, error) {
	var all fuzzing
	for _, pkg := range packages {
		names, err := fuzzTestsOf(pkg)
		if err != nil {
			return task{}, err
		}
		for _, name := range names {
			all = append(all, goTests{
				dir: engine, packages: []string{pkg}, run: fuzzRun(name), env: held(),
				flags: []string{"-fuzz=" + fuzzRun(name), "-fuzztime=" + fuzzFor.String(), "-parallel=1"},
			})
		}
	}
	return task{name: "fuzz", load: works, usual: 2 * fuzzFor * time.Duration(len(all)), work: all}, nil
}

// fuzzTestsOf are the names of a package's fuzz tests.
func fuzzTestsOf(pkg string) ([]string, error) {
	names, _, err := testsIn(pkg)
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "Fuzz") }), err
}
