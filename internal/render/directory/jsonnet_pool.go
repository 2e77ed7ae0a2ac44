package directory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// WorkerLimits bound Jsonnet workers; the zero value takes the defaults.
type WorkerLimits struct {
	// Memory of each worker in bytes; 512 MiB when 0.
	Memory int64
	// Time for one file; 20 s when 0.
	Time time.Duration
	// Parallel is the number of workers; that of the processors when 0.
	Parallel int
	// Idle is how long a worker waits for its next file; 1 min when 0.
	Idle time.Duration
}

func (l WorkerLimits) withDefaults() WorkerLimits {
	if l.Memory == 0 {
		l.Memory = 512 << 20
	}
	if l.Time == 0 {
		l.Time = 20 * time.Second
	}
	if l.Parallel == 0 {
		l.Parallel = runtime.GOMAXPROCS(0)
	}
	if l.Idle == 0 {
		l.Idle = time.Minute
	}
	return l
}

// Workers are processes that evaluate Jsonnet: this executable once more. A
// program that does not end, or takes all memory, ends its worker alone.
type Workers struct {
	limits WorkerLimits
	slots  chan struct{}

	mu     sync.Mutex
	idle   []*worker
	closed bool
	// leaving are the idle workers that end.
	leaving sync.WaitGroup
}

// NewWorkers starts nothing: workers are started when they are needed. The
// executable must call Worker first.
func NewWorkers(l WorkerLimits) *Workers {
	l = l.withDefaults()
	return &Workers{limits: l, slots: make(chan struct{}, l.Parallel)}
}

// shared are the workers of renderers that bring none of their own, and that
// nobody closes. They end when they are idle, and with this process.
var shared = sync.OnceValue(func() *Workers { return NewWorkers(WorkerLimits{}) })

var (
	errTime   = fmt.Errorf("it does not end: %w", context.DeadlineExceeded)
	errMemory = errors.New("it needs too much memory")
	errDeep   = errors.New("it calls itself too deeply")
	errDied   = errors.New("the process that evaluates it was ended from outside")
)

// evaluate returns what a file evaluates to. Errors of the program are a
// *programError.
func (w *Workers) evaluate(ctx context.Context, e evaluation, imports resolver) (string, error) {
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	limited, cancel := context.WithTimeoutCause(ctx, w.limits.Time, errTime)
	defer cancel()
	out, err := w.attempt(limited, e, imports)
	if errors.Is(err, errDied) { // by somebody else, or while it was idle
		out, err = w.attempt(limited, e, imports)
	}
	if errors.Is(err, errDied) && limited.Err() != nil {
		err = context.Cause(limited)
	}
	return out, err
}

func (w *Workers) attempt(ctx context.Context, e evaluation, imports resolver) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	one, err := w.take(ctx)
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, one.kill)
	e.Time = w.limits.Time
	r, err := one.talk(e, imports)
	inTime := stop()
	if err != nil {
		why := one.end()
		if !inTime {
			why = context.Cause(ctx)
		}
		return "", why
	}
	w.give(one)
	if r.Error != "" {
		return "", &programError{r.Error}
	}
	return string(r.Text), nil
}

// programError is what the interpreter says of a program.
type programError struct{ text string }

func (e *programError) Error() string { return e.text }

func (w *Workers) take(ctx context.Context) (*worker, error) {
	w.mu.Lock()
	if n := len(w.idle); n > 0 {
		one := w.idle[n-1]
		w.idle = w.idle[:n-1]
		w.mu.Unlock()
		one.timer.Stop()
		return one, nil
	}
	w.mu.Unlock()
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable for evaluating Jsonnet: %w", err)
	}
	return startWorker(ctx, exe, w.limits.Memory)
}

// give puts a worker back, to be ended when nobody takes it for a while.
func (w *Workers) give(one *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		w.leaving.Go(one.dismiss)
		return
	}
	one.timer = time.AfterFunc(w.limits.Idle, func() { w.retire(one) })
	w.idle = append(w.idle, one)
}

func (w *Workers) retire(one *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, other := range w.idle {
		if other == one {
			w.idle = append(w.idle[:i], w.idle[i+1:]...)
			w.leaving.Go(one.dismiss)
			return
		}
	}
}

// Close ends the workers that are idle, and waits for them. It is for the
// time after the last evaluation: workers of one that still runs end with it.
func (w *Workers) Close() {
	w.mu.Lock()
	w.closed = true
	for _, one := range w.idle {
		one.timer.Stop()
		w.leaving.Go(one.dismiss)
	}
	w.idle = nil
	w.mu.Unlock()
	w.leaving.Wait()
}
