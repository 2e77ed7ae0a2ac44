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
	// Memory of each worker in bytes; 512 MiB when 0. A worker has less where
	// that of all pools is less: see Pool.
	Memory int64
	// Time for one task; 20 s when 0.
	Time time.Duration
	// Parallel is the number of workers, of which one project has all but one;
	// that of the processors, and 2 at least, when 0.
	Parallel int
	// Idle is how long a worker waits for its next task; 1 min when 0.
	Idle time.Duration
}

// defaultMemory is that of a worker.
const defaultMemory = 512 << 20

func (l Limits) withDefaults() Limits {
	if l.Memory == 0 {
		l.Memory = defaultMemory
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
//
// The workers of all pools, also those that are idle, share a part of the
// memory that there is: together they may hold no more.
type Pool struct {
	kind    string
	limits  Limits
	account *account
	// wanted is the memory that a worker would have where there is enough.
	wanted int64
	// slots are shared, as a task may take as long as the one that waits for it has.
	slots *slots.Slots

	// idle and closed are guarded by the lock of the account.
	idle   []*child
	closed bool
	// leaving are the idle workers that end.
	leaving sync.WaitGroup
}

// NewPool starts nothing: workers are started when they are needed. The
// executable must call Hook first.
func NewPool(kind string, l Limits) *Pool { return newPool(kind, l, ofAll()) }

func newPool(kind string, l Limits, a *account) *Pool {
	l = l.withDefaults()
	wanted := l.Memory
	l.Memory = a.limit(wanted)
	return &Pool{kind: kind, limits: l, wanted: wanted, account: a, slots: slots.Shares(l.Parallel, l.Parallel-1)}
}

// Fits is how many workers of the pool the memory of all allows at a time.
func (p *Pool) Fits() int { return int(max(1, p.account.most/p.limits.Memory)) }

// Do has a worker do a task: talk says what it is, answers what the worker
// asks for, and takes the result. It is called once more where the worker was
// ended from outside, and where memory was lacking in one that had done others' tasks. An error of talk ends the worker. The task is of the project
// of the context: see slots.ForProject.
func (p *Pool) Do(ctx context.Context, talk func(*Conn) error) error {
	project := slots.ProjectOf(ctx)
	if _, err := p.slots.Take(ctx, slots.Of(project)); err != nil {
		return err
	}
	defer p.slots.Give(project)
	if err := p.account.take(ctx, project, p.limits.Memory); err != nil {
		return err
	}
	defer p.account.give(project, p.limits.Memory)
	limited, cancel := context.WithTimeoutCause(ctx, p.limits.Time, ErrTime)
	defer cancel()
	used, err := p.attempt(limited, talk, p.take)
	// It may have been dead since its last task, and what it kept of that is not this one's.
	if (errors.Is(err, ErrDied) || used && errors.Is(err, ErrMemory)) && limited.Err() == nil {
		_, err = p.attempt(limited, talk, p.begin)
	}
	if errors.Is(err, ErrDied) && limited.Err() != nil {
		err = context.Cause(limited)
	}
	return err
}

// attempt tells besides whether the worker had done another task.
func (p *Pool) attempt(ctx context.Context, talk func(*Conn) error, take func(context.Context) (*child, error)) (used bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	one, err := take(ctx)
	if err != nil {
		return false, err
	}
	stop := context.AfterFunc(ctx, one.kill)
	err = talk(one.Conn)
	inTime := stop()
	if err != nil {
		why := one.end()
		switch {
		case !inTime:
			why = context.Cause(ctx)
		case errors.Is(err, ErrLong):
			why = err
		}
		return one.used, p.limited(why)
	}
	used, one.used, one.project = one.used, true, slots.ProjectOf(ctx)
	p.give(one)
	return used, nil
}

// limited says how much memory was too little.
func (p *Pool) limited(why error) error {
	if !errors.Is(why, ErrMemory) {
		return why
	}
	if p.limits.Memory < p.wanted {
		return fmt.Errorf("%w (%d MiB, as all such processes share %d MiB of the engine's memory)", why, p.limits.Memory>>20, p.account.most>>20)
	}
	return fmt.Errorf("%w (more than %d MiB)", why, p.limits.Memory>>20)
}

// take takes an idle worker, the last one of the same project where there is one, or
// starts one.
func (p *Pool) take(ctx context.Context) (*child, error) {
	p.account.mu.Lock()
	if n := len(p.idle); n > 0 {
		at := n - 1
		for i, one := range p.idle {
			if one.project == slots.ProjectOf(ctx) {
				at = i
			}
		}
		one := p.idle[at]
		p.idle = slices.Delete(p.idle, at, at+1)
		p.account.leaves(one)
		p.account.mu.Unlock()
		one.timer.Stop()
		return one, nil
	}
	p.account.mu.Unlock()
	return p.begin(ctx)
}

// begin starts a worker in the place of others' idle ones.
func (p *Pool) begin(ctx context.Context) (*child, error) {
	p.account.mu.Lock()
	gone := p.account.evict()
	p.account.mu.Unlock()
	for _, one := range gone {
		one.timer.Stop()
		one.kill()
		one.dismiss()
	}
	one, err := start(ctx, p.kind, p.limits)
	if err != nil {
		return nil, err
	}
	one.pool, one.limit = p, p.limits.Memory
	return one, nil
}

// give puts a worker back, to be ended when nobody takes it for a while.
func (p *Pool) give(one *child) {
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	if p.closed {
		p.leaving.Go(one.dismiss)
		return
	}
	one.timer = time.AfterFunc(p.limits.Idle, func() { p.retire(one) })
	p.idle = append(p.idle, one)
	p.account.rests(one)
}

func (p *Pool) retire(one *child) {
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	if i := slices.Index(p.idle, one); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		p.account.leaves(one)
		p.leaving.Go(one.dismiss)
	}
}

// Close ends the workers that are idle, and waits for them. It is for the
// time after the last task: the worker of one that is still done ends with it.
func (p *Pool) Close() {
	p.account.mu.Lock()
	p.closed = true
	for _, one := range p.idle {
		one.timer.Stop()
		p.account.leaves(one)
		p.leaving.Go(one.dismiss)
	}
	p.idle = nil
	p.account.mu.Unlock()
	p.leaving.Wait()
}
