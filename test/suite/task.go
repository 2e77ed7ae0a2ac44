package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/causeway-gitops/causeway/test/leash"
)

// task is what the suite begins and ends as a whole.
type task struct {
	name string
	// load is how many cores it keeps busy.
	load float64
	// usual is how long it takes beside the others: what takes longest begins first.
	usual time.Duration
	work  work
}

// work is what a task does.
type work interface {
	// do writes what is said into the log and returns what came of it.
	do(ctx context.Context, log io.Writer) result
	// again tries what failed once more, by itself.
	again(ctx context.Context, log io.Writer, failed []outcome) result
}

// result is what work found.
type result struct {
	cases []outcome
	// notes are lines for people who read numbers: how many cases of a conformance suite agree.
	notes []string
	// busy is the time of the processors that it took.
	busy time.Duration
}

// held makes what tests leave in the temporary folder go with this process, also when it is killed. It is for those that
// cannot hold it by themselves.
func held() []string {
	if dir := os.Getenv(leash.GoTemporary); dir != "" {
		return []string{leash.Temporary + "=" + dir}
	}
	return nil
}

// busy is what a command that has ended took of the processors, with all that it has waited for.
func busy(cmd *exec.Cmd) time.Duration {
	if cmd.ProcessState == nil {
		return 0
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// status is how a test ended.
type status string

const (
	passed  status = "pass"
	failed  status = "fail"
	skipped status = "skip"
)

// outcome is how one test ended, or a package as a whole where it has no test.
type outcome struct {
	Package string  `json:"package"`
	Test    string  `json:"test"`
	Status  status  `json:"status"`
	Seconds float64 `json:"seconds"`
	// First is the first error of what failed, or why it was skipped.
	First string `json:"first"`
	// Flaky passed at a later try, which its own runner made.
	Flaky bool `json:"flaky"`
	// said is all that a failure said.
	said string
	// whole is a failure of all that a task runs: the command could not do it, and Package is there for people.
	whole bool
	// died is a package whose process ended before its tests did: those that came after have not run.
	died bool
}

func (o outcome) name() string {
	if o.Test == "" {
		return o.Package
	}
	return o.Package + " " + o.Test
}
