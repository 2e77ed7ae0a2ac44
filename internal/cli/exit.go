package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// The exit codes, which scripts rely on.
const (
	exitFine    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitChanges = 3
	// exitLate is a wait whose time was over before what it waited for. 4 is left
	// for what needs somebody's word.
	exitLate = 5
	// exitInterrupted is what shells give for a program that ctrl-c ended.
	exitInterrupted = 130
)

// usageError is a mistake in the arguments.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// unasked is a question that nobody can answer: a flag is missing, and its text
// says which, so that no usage follows it.
type unasked struct{ instead string }

func (e unasked) Error() string {
	return "nothing was done, because nobody can be asked here: if that is meant, add " + e.instead
}

// emptied refuses flags that were given without a value: in a script that is a
// variable which has none, and not what was meant.
func emptied(f *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if flag := f.Lookup(name); flag.Changed && strings.TrimSpace(strings.Trim(flag.Value.String(), "[]")) == "" {
			return usagef("--%s has no value: leave it out, or see why the variable that it came from is empty", name)
		}
	}
	return nil
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errChanges says that there are changes. It is an answer, not a failure:
// nothing is printed for it.
var errChanges = errors.New("changes found")

// errSaid is a failure that the command has printed already.
var errSaid = errors.New("failed")

// errInterrupted is the end that ctrl-c brings before the work is done.
var errInterrupted = errors.New("stopped before everything was healthy")

// errStopped is the end that ctrl-c brings to anything else.
var errStopped = errors.New("interrupted")

// late is the end of a wait whose time is over.
type late struct{ error }

func (l late) Unwrap() error { return l.error }

func latef(format string, args ...any) error { return late{fmt.Errorf(format, args...)} }

// errLate is late, and what was waited for has been said.
var errLate = latef("not within the time")

func exitCode(err error) int {
	var usage usageError
	var question unasked
	var over late
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errChanges):
		return exitChanges
	case errors.As(err, &over):
		return exitLate
	case errors.Is(err, errInterrupted), errors.Is(err, errStopped):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &question):
		return exitUsage
	}
	return exitFailed
}

func silent(err error) bool {
	return errors.Is(err, errChanges) || errors.Is(err, errSaid) || errors.Is(err, errLate)
}
