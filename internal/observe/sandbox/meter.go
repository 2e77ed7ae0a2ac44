package sandbox

import (
	"errors"
	"fmt"
	"time"
)

// Limits of one run. A check of an ordinary object takes some thousand steps
// and some tens of kilobytes.
const (
	// maxTime is how long a script may run, as with Argo CD.
	maxTime = time.Second
	// maxSteps bounds the instructions of a run, and the steps of a pattern's match.
	maxSteps = 10_000_000
	// maxBytes bounds what a run allocates altogether.
	maxBytes = 64 << 20
	// maxGiven bounds what the values take that a run is given, besides.
	maxGiven = 64 << 20
	// maxText bounds a single text, in bytes.
	maxText = 4 << 20
	// lookAtClock is the number of steps between two looks at the clock.
	lookAtClock = 64
)

// ErrLimit is what an error wraps when a script used more than it may, and
// errBudget when it would do so on any machine.
var (
	ErrLimit  = errors.New("the script was stopped")
	errBudget = fmt.Errorf("%w: its budget is spent", ErrLimit)
)

// meter counts what a run uses. To the interpreter it is the context that it
// asks before each instruction whether it may go on: that makes the count of
// steps exact, at no other cost.
type meter struct {
	steps, bytes int
	deadline     time.Time
	err          error
	closed       chan struct{}
}

func newMeter() *meter {
	m := &meter{closed: make(chan struct{})}
	close(m.closed)
	return m
}

func (m *meter) reset() {
	m.steps, m.bytes, m.err = 0, 0, nil
	m.deadline = time.Now().Add(maxTime)
}

// Done is asked before each instruction. Once a limit is reached it stays so,
// so that no pcall can go on after it.
func (m *meter) Done() <-chan struct{} {
	m.steps++
	if m.steps%lookAtClock == 0 {
		m.look()
	}
	if m.err != nil {
		return m.closed
	}
	return nil
}

// Err is why the script has to stop.
func (m *meter) Err() error { return m.err }

// Deadline is part of a context.
func (m *meter) Deadline() (time.Time, bool) { return m.deadline, true }

// Value is part of a context.
func (m *meter) Value(any) any { return nil }

func (m *meter) look() {
	switch {
	case m.err != nil:
	case m.steps > maxSteps:
		m.err = fmt.Errorf("%w: it took more than %d million steps", errBudget, maxSteps/1_000_000)
	case time.Now().After(m.deadline):
		m.err = fmt.Errorf("%w: it ran longer than %s", ErrLimit, maxTime)
	}
}

// work counts steps that are taken outside of the interpreter's loop.
func (m *meter) work(steps int) error {
	before := m.steps / lookAtClock
	m.steps += steps
	if m.steps/lookAtClock != before {
		m.look()
	}
	return m.err
}

// charge counts bytes that are about to be allocated.
func (m *meter) charge(bytes int) error {
	m.bytes += bytes
	if m.err == nil && m.bytes > maxBytes {
		m.err = fmt.Errorf("%w: it allocated more than %d MiB", errBudget, maxBytes>>20)
	}
	return m.err
}

// text charges a text of a length.
func (m *meter) text(length int) error {
	if m.err == nil && length > maxText {
		m.err = fmt.Errorf("%w: it made a text of more than %d MiB", errBudget, maxText>>20)
	}
	return m.charge(length)
}
