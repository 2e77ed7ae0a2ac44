package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// compile compiles all tests before the first of them runs: an error of types is told in seconds, and no package waits for
// the compiler within the time limits of its tests.
func compile(ctx context.Context, tasks []task, out io.Writer) error {
	began := time.Now()
	var errs []error
	for _, g := range builds(tasks) {
		args := append([]string{"list", "-export", "-test", "-deps", "-f", ""}, g.building()...)
		cmd := command(ctx, g.dir, g.env, "go", append(args, g.paths(g.packages)...)...)
		cmd.Stderr = out
		if err := cmd.Run(); err != nil {
			errs = append(errs, fmt.Errorf("in %s: %w", g.dir, err))
		}
	}
	fmt.Fprintf(out, "%s the tests are compiled\n", clock(time.Since(began)))
	return errors.Join(errs...)
}

// builds joins the packages of tests that are compiled in the same way.
func builds(tasks []task) []goTests {
	var out []goTests
	for _, t := range tasks {
		g, ok := inGo(t.work)
		if !ok {
			continue
		}
		same := slices.IndexFunc(out, func(b goTests) bool { return b.dir == g.dir && slices.Equal(b.building(), g.building()) })
		if same < 0 {
			out = append(out, goTests{dir: g.dir, packages: slices.Clone(g.packages), flags: g.flags, env: g.env})
			continue
		}
		out[same].packages = append(out[same].packages, g.packages...)
	}
	return out
}

// building are the flags that change what is compiled.
func (g goTests) building() []string {
	return slices.DeleteFunc(slices.Clone(g.flags), func(f string) bool { return f != "-race" && !strings.HasPrefix(f, "-tags") })
}
