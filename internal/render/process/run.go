package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Command is what to run.
type Command struct {
	// Path is the executable and Args its arguments, without the name of
	// the command. A Path without a slash is looked up in Search.
	Path string
	Args []string
	// Dir is the working folder.
	Dir string
	// Env is the whole environment, as NAME=value.
	Env []string
	// Search is a list of folders, as PATH has it.
	Search string
	// Mark is an entry of Env that no other process has. What left the
	// command's process group, as agents do, is found by it and ended with
	// the command; only Linux tells what it needs.
	Mark   string
	Limits Limits
}

// Limits bound one command; the zero value takes the defaults.
type Limits struct {
	// Time until the command is killed; 60 s when 0.
	Time time.Duration
	// Output is the number of bytes on the standard output that ends the
	// command; 10 MiB when 0. Of the error output the last 4 KiB are kept.
	Output int64
	// Memory is the number of bytes that all processes of the command may
	// hold together, and the limit of data (RLIMIT_DATA) of each; 2 GiB when
	// 0, none when negative. Only Linux enforces it.
	Memory int64
	// Processes is how many may run at a time; 256 when 0, any number when
	// negative. Only Linux enforces it.
	Processes int
}

// The defaults of Limits.
const (
	DefaultTime      = time.Minute
	DefaultOutput    = 10 << 20
	DefaultMemory    = 2 << 30
	DefaultProcesses = 256
	// errorBytes is what is kept of the error output.
	errorBytes = 4 << 10
	// drain is how long pipes may stay open once the command has ended.
	drain = 2 * time.Second
)

func (l Limits) withDefaults() Limits {
	if l.Time == 0 {
		l.Time = DefaultTime
	}
	if l.Output == 0 {
		l.Output = DefaultOutput
	}
	if l.Memory == 0 {
		l.Memory = DefaultMemory
	}
	if l.Processes == 0 {
		l.Processes = DefaultProcesses
	}
	return l
}

// The reasons for which a command is ended. An *Error wraps one of them.
var (
	ErrTime      = errors.New("it did not end in time")
	ErrOutput    = errors.New("it writes too much")
	ErrMemory    = errors.New("it needs too much memory")
	ErrProcesses = errors.New("it starts too many processes")
	// ErrStart is a command that could not be started.
	ErrStart = errors.New("it cannot be started")
	// ErrExit is a command that ended with an exit code or by a signal.
	ErrExit = errors.New("it ended with an error")
)

// Error tells how a command ended.
type Error struct {
	// Reason is one of the errors above.
	Reason error
	// Detail says more, as "exit status 1"; without the command's output.
	Detail string
	// Code is the exit code, -1 where there is none.
	Code int
	// Stderr is the end of the error output.
	Stderr string
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Reason.Error()
	}
	return e.Reason.Error() + ": " + e.Detail
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

// Run runs a command and returns its standard output. Whatever it started
// and left behind in its process group is killed. The error is an *Error, or
// the context's.
func Run(ctx context.Context, c Command) ([]byte, error) {
	l := c.Limits.withDefaults()
	path, err := find(c.Path, c.Search)
	if err != nil {
		return nil, &Error{Reason: ErrStart, Detail: err.Error(), Code: -1}
	}
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	limited, cancel := context.WithTimeoutCause(limited, l.Time, ErrTime)
	defer cancel()

	out := &bounded{limit: l.Output, full: func() { end(ErrOutput) }}
	stderr := NewTail(errorBytes)
	cmd := exec.CommandContext(limited, path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, append([]string{}, c.Env...)
	ends, err := connect(cmd, out, stderr)
	if err != nil {
		return nil, &Error{Reason: ErrStart, Detail: plain(err), Code: -1}
	}
	group := ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		_ = ends.close()
		if ctx.Err() != nil { // nobody waits for it: that says nothing of the command
			return nil, ctx.Err()
		}
		return nil, &Error{Reason: ErrStart, Detail: plain(err), Code: -1}
	}
	ends.begin()
	stop := guard(cmd.Process.Pid, l, end)
	result := await(cmd)
	ends.drained()
	stop()
	group.end()
	killMarked(c.Mark)
	err = result()
	ends.finish()
	if cause := context.Cause(limited); cause != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{Reason: cause, Detail: l.tell(cause), Code: -1, Stderr: stderr.String()}
	}
	if err != nil {
		return nil, &Error{Reason: ErrExit, Detail: plain(err), Code: cmd.ProcessState.ExitCode(), Stderr: stderr.String()}
	}
	return out.Bytes(), nil
}

// tell says the limit that a reason is about.
func (l Limits) tell(reason error) string {
	switch {
	case errors.Is(reason, ErrTime):
		return fmt.Sprintf("the limit is %s", l.Time)
	case errors.Is(reason, ErrOutput):
		return fmt.Sprintf("the limit is %d bytes", l.Output)
	case errors.Is(reason, ErrMemory):
		return fmt.Sprintf("the limit is %d MiB", l.Memory>>20)
	case errors.Is(reason, ErrProcesses):
		return fmt.Sprintf("the limit is %d", l.Processes)
	}
	return ""
}

// plain is an error's text without paths of the machine.
func plain(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
