package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/slots"
)

// Limits bound the workers of a pool; the zero value takes the defaults.
type Limits struct {
	// Memory of each worker in bytes; 512 MiB when 0.
	Memory int64
	// Time for one task; 20 s when 0.
	Time time.Duration
	// Parallel is the number of workers, of which one project has all but one;
	// that of the processors, and 2 at least, when 0.
	Parallel int
	// Idle is how long a worker waits for its next task; 1 min when 0.
	Idle time.Duration
}

func (l Limits) withDefaults() Limits {
	if l.Memory == 0 {
		l.Memory = 512 << 20
	}
	if l.Time == 0 {
		l.Time = 20 * time.Second
	}
	if l.Parallel == 0 {
		l.Parallel = max(leastParallel, runtime.GOMAXPROCS(0))
	}
	if l.Idle == 0 {
		l.Idle = time.Minute
	}
	return l
}

// leastParallel leaves one worker to others than the project that has the first.
const leastParallel = 2

// Why a task has no result, although nothing is wrong with how it was asked.
var (
	ErrTime   = fmt.Errorf("it does not end: %w", context.DeadlineExceeded)
	ErrMemory = errors.New("it needs too much memory")
	ErrDeep   = errors.New("it calls itself too deeply")
	ErrDied   = errors.New("the process that does it was ended from outside")
)

// Pool are workers of one kind. A task that does not end, or takes all
// memory, ends its worker alone. It is safe for concurrent use.
type Pool struct {
	kind   string
	limits Limits
	// slots are shared, as a task may take as long as the one that waits for it has.
	slots *slots.Slots

	mu     sync.Mutex
	idle   []*child
	closed bool
	// leaving are the idle workers that end.
	leaving sync.WaitGroup
}

// NewPool starts nothing: workers are started when they are needed. The
// executable must call Hook first.
func NewPool(kind string, l Limits) *Pool {
	l = l.withDefaults()
	return &Pool{kind: kind, limits: l, slots: slots.Shares(l.Parallel, l.Parallel-1)}
}

// Do has a worker do a task: talk says what it is, answers what the worker
// asks for, and takes the result. It is called again where the worker was ended
// from outside. An error of talk ends the worker. The task is of the project
// of the context: see For.
func (p *Pool) Do(ctx context.Context, talk func(*Conn) error) error {
	project := ProjectOf(ctx)
	if _, err := p.slots.Take(ctx, slots.Of(project)); err != nil {
		return err
	}
	defer p.slots.Give(project)
	limited, cancel := context.WithTimeoutCause(ctx, p.limits.Time, ErrTime)
	defer cancel()
	var err error
	for range p.limits.Parallel + 1 { // each idle one may be dead, and then there is a new one
		if err = p.attempt(limited, talk); !errors.Is(err, ErrDied) {
			return err
		}
	}
	if limited.Err() != nil {
		err = context.Cause(limited)
	}
	return err
}

func (p *Pool) attempt(ctx context.Context, talk func(*Conn) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	one, err := p.take(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, one.kill)
	err = talk(one.Conn)
	inTime := stop()
	if err != nil {
		why := one.end()
		if !inTime {
			why = context.Cause(ctx)
		}
		return why
	}
	p.give(one)
	return nil
}

func (p *Pool) take(ctx context.Context) (*child, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		one := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		one.timer.Stop()
		return one, nil
	}
	p.mu.Unlock()
	return start(ctx, p.kind, p.limits)
}

// give puts a worker back, to be ended when nobody takes it for a while.
func (p *Pool) give(one *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.leaving.Go(one.dismiss)
		return
	}
	one.timer = time.AfterFunc(p.limits.Idle, func() { p.retire(one) })
	p.idle = append(p.idle, one)
}

func (p *Pool) retire(one *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.idle, one); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		p.leaving.Go(one.dismiss)
	}
}

// Close ends the workers that are idle, and waits for them. It is for the
// time after the last task: the worker of one that is still done ends with it.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, one := range p.idle {
		one.timer.Stop()
		p.leaving.Go(one.dismiss)
	}
	p.idle = nil
	p.mu.Unlock()
	p.leaving.Wait()
}
