package command

import (
	"errors"
	"fmt"
)

// The exit codes, which scripts rely on.
const (
	ExitFine    = 0
	ExitFailed  = 1
	ExitUsage   = 2
	ExitChanges = 3
	// ExitLate is a wait whose time was over before what it waited for. 4 is left
	// for what needs somebody's word.
	ExitLate = 5
	// ExitInterrupted is what shells give for a program that ctrl-c ended.
	ExitInterrupted = 130
)

// UsageError is a mistake in the arguments.
type UsageError struct{ Err error }

// Error implements error.
func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap is the mistake itself.
func (e UsageError) Unwrap() error { return e.Err }

// Unasked is a question that nobody can answer: a flag is missing, and its text
// says which, so that no usage follows it.
type Unasked struct{ Instead string }

// Error implements error.
func (e Unasked) Error() string {
	return "nothing was done, because nobody can be asked here: if that is meant, add " + e.Instead
}

// Usagef is a mistake in the arguments, in words.
func Usagef(format string, args ...any) error { return UsageError{Err: fmt.Errorf(format, args...)} }

// ErrChanges says that there are changes. It is an answer, not a failure:
// nothing is printed for it.
var ErrChanges = errors.New("changes found")

// ErrSaid is a failure that the command has printed already.
var ErrSaid = errors.New("failed")

// ErrInterrupted is the end that ctrl-c brings before the work is done.
var ErrInterrupted = errors.New("stopped before everything was healthy")

// ErrStopped is the end that ctrl-c brings to anything else.
var ErrStopped = errors.New("interrupted")

// late is the end of a wait whose time is over.
type late struct{ error }

func (l late) Unwrap() error { return l.error }

// Latef is the end of a wait whose time is over, in words.
func Latef(format string, args ...any) error { return late{fmt.Errorf(format, args...)} }

// ErrLate is late, and what was waited for has been said.
var ErrLate = Latef("not within the time")

// ExitCode is what a command exits with that ended in an error; nil for none.
func ExitCode(err error) int {
	var usage UsageError
	var question Unasked
	var over late
	switch {
	case err == nil:
		return ExitFine
	case errors.Is(err, ErrChanges):
		return ExitChanges
	case errors.As(err, &over):
		return ExitLate
	case errors.Is(err, ErrInterrupted), errors.Is(err, ErrStopped):
		return ExitInterrupted
	case errors.As(err, &usage), errors.As(err, &question):
		return ExitUsage
	}
	return ExitFailed
}

// Silent reports whether nothing is to be printed for an error.
func Silent(err error) bool {
	return errors.Is(err, ErrChanges) || errors.Is(err, ErrSaid) || errors.Is(err, ErrLate)
}
