package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/causeway-gitops/causeway/test/leash"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == recorder {
		fmt.Fprintf(os.Stderr, "suite: cannot run the tests: %v\n", record(os.Args[2:]))
		os.Exit(exitFailed)
	}
	os.Exit(leash.HeldBy(leash.GoTemporary, func() int {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return run(ctx, os.Args[1:], os.Stdout)
	}))
}

// What the process ends with.
const (
	exitFailed = 1
	exitUsage  = 2
)

// run is the program but for its process; it returns the exit code.
func run(ctx context.Context, args []string, out io.Writer) int {
	flags := flag.NewFlagSet("suite", flag.ContinueOnError)
	flags.SetOutput(out)
	tier := flags.String("tier", gate, "which tests: "+gate+" or "+all)
	only := flags.String("only", "", "run the tasks alone whose names match this expression")
	logs := flags.String("logs", "bin/suite", "folder for the whole output of each task")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	s, tasks, err := prepare(ctx, *tier, *only, *logs, out)
	if err != nil {
		fmt.Fprintf(out, "suite: %v\n", err)
		return exitUsage
	}
	if *tier == gate {
		spendMemory()
	}
	if err := compile(ctx, tasks, out); err != nil {
		fmt.Fprintf(out, "suite: the tests do not compile: %v\n", err)
		return exitFailed
	}
	s.runAll(ctx, tasks)
	s.again(ctx)
	if !s.report() || ctx.Err() != nil {
		return exitFailed
	}
	return 0
}

// prepare reads what a run needs, and makes the folder of its logs.
func prepare(ctx context.Context, tier, only, logs string, out io.Writer) (*suite, []task, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read --only: %w", err)
	}
	left, err := readLong(longFile)
	if err != nil {
		return nil, nil, err
	}
	book, err := readFlaky(flakyFile)
	if err != nil {
		return nil, nil, err
	}
	tasks, err := tasksOf(ctx, tier, left)
	if err != nil {
		return nil, nil, err
	}
	tasks = matching(tasks, pattern)
	if len(tasks) == 0 {
		return nil, nil, fmt.Errorf("no task of the tier %s matches %q", tier, only)
	}
	if err := os.MkdirAll(logs, 0o750); err != nil {
		return nil, nil, err
	}
	return &suite{out: out, logs: logs, book: book}, tasks, nil
}

func matching(tasks []task, pattern *regexp.Regexp) []task {
	var out []task
	for _, t := range tasks {
		if pattern.MatchString(t.name) {
			out = append(out, t)
		}
	}
	return out
}
