package jq

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/causeway-gitops/causeway/internal/memlimit"
	"github.com/causeway-gitops/causeway/internal/memory"
	"github.com/causeway-gitops/causeway/internal/slots"
)

const (
	// maxWorkers run at a time.
	maxWorkers = 2
	// idleFor is how long a worker waits for its next question.
	idleFor = time.Minute
	// attempts at a question whose worker dies: each idle one may be dead, and
	// then a new one.
	attempts = maxWorkers + 2
	// allow is how long a question may take until its worker is killed: a worker says
	// earlier that an evaluation took too long.
	allow = 2 * patience
	// grace is how long a worker that stopped talking may take to say why.
	grace = 2 * time.Second
)

var (
	errMemory = errors.New("it needs too much memory")
	errDied   = errors.New("the process that evaluates it was ended from outside")
)

// workers are started when they are needed. They end when they are idle, and
// with this process.
var workers = sync.OnceValue(newPool)

type pool struct {
	// bytes is what each worker may hold.
	bytes int64
	allow time.Duration
	// slots are shared: of one project, half of the workers are busy at most.
	slots *slots.Slots
	mu    sync.Mutex
	idle  []*worker
}

func newPool() *pool {
	return &pool{bytes: memory.Expressions(memory.There()) / maxWorkers, allow: allow, slots: slots.New(maxWorkers)}
}

// ask has a worker answer a question of a project. It tells what that took of a
// processor, or how long it was where the worker cannot tell that any more.
func (p *pool) ask(ctx context.Context, project string, about question) (*answer, time.Duration, error) {
	if _, err := p.slots.Take(ctx, slots.Of(project)); err != nil {
		return nil, 0, err
	}
	defer p.slots.Give(project)
	limited, cancel := context.WithTimeoutCause(ctx, p.allow, errTime)
	defer cancel()
	begun := time.Now()
	a, err := p.answer(limited, about)
	took := time.Since(begun)
	if a != nil && a.Took > 0 {
		took = min(took, a.Took) // what others do on the machine is not its fault
	}
	return a, took, err
}

func (p *pool) answer(ctx context.Context, about question) (*answer, error) {
	about.Object = exactObject(about.Object)
	line, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	for range attempts - 1 {
		a, err := p.attempt(ctx, append(line, '\n'))
		if !errors.Is(err, errDied) { // by somebody else, or while it was idle
			return a, err
		}
	}
	return p.attempt(ctx, append(line, '\n'))
}

func (p *pool) attempt(ctx context.Context, line []byte) (*answer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	w, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, w.kill)
	a, err := w.talk(line)
	inTime := stop()
	if inTime && err == nil {
		p.give(w)
		return a, a.stopped()
	}
	why := w.end()
	switch {
	case !inTime:
		why = context.Cause(ctx)
	case errors.Is(err, errNames):
		why = err
	case errors.Is(why, errMemory):
		why = fmt.Errorf("%w (more than %d MiB)", why, p.bytes>>20)
	}
	return nil, why
}

// stopped is the bound that an expression reached in a worker.
func (a *answer) stopped() error {
	for _, known := range []error{errTime, errNames} {
		if a.Stopped == known.Error() {
			return known
		}
	}
	if a.Stopped != "" {
		return errors.New(a.Stopped)
	}
	numbers(anyOf(a.Paths))
	return nil
}

func anyOf(paths [][]any) []any {
	out := make([]any, len(paths))
	for i, p := range paths {
		out[i] = p
	}
	return out
}

func (p *pool) take(ctx context.Context) (*worker, error) {
	if w := p.rested(); w != nil {
		return w, nil
	}
	return start(ctx, p.bytes)
}

// rested takes the worker that was idle last; nil when there is none.
func (p *pool) rested() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	w.timer.Stop()
	return w
}

// give puts a worker back, to be ended when nobody takes it for a while.
func (p *pool) give(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.timer = time.AfterFunc(idleFor, func() { p.retire(w) })
	p.idle = append(p.idle, w)
}

func (p *pool) retire(w *worker) {
	p.mu.Lock()
	i := slices.Index(p.idle, w)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		_ = w.end()
	}
}

// worker is the engine's end of one process.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	// left is what may be read still of an answer.
	left  *io.LimitedReader
	timer *time.Timer
}

// start starts a process that outlives the context: the next question is for
// it, too. It ends when its input does.
func start(ctx context.Context, bytes int64) (*worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable for evaluating jq: %w", err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), exe)
	cmd.Env = []string{fmt.Sprintf("%s=%d", workerMark, bytes), memlimit.Parent(), "GOTRACEBACK=none", "GOMAXPROCS=2"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal is not for it
	w := &worker{cmd: cmd}
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("cannot start a process for jq: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start a process for jq: %w", err)
	}
	w.hear(out)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a process for jq: %w", err)
	}
	return w, nil
}

// hear has answers read, as far as each is bounded.
func (w *worker) hear(out io.Reader) {
	w.left = &io.LimitedReader{R: out}
	w.out = bufio.NewReader(w.left)
}

// talk has one question answered.
func (w *worker) talk(line []byte) (*answer, error) {
	if _, err := w.in.Write(line); err != nil {
		return nil, err
	}
	w.left.N = maxAnswer + 1 // with the end of its line
	text, err := w.out.ReadBytes('\n')
	if err != nil && w.left.N <= 0 {
		return nil, errNames
	}
	if err != nil {
		return nil, err
	}
	a := &answer{}
	return a, utiljson.Unmarshal(text, a)
}

func (w *worker) kill() { _ = w.cmd.Process.Kill() }

// end waits for a worker that stopped talking, or is not needed any more, and
// tells why it ended.
func (w *worker) end() error {
	_ = w.in.Close()
	timer := time.AfterFunc(grace, w.kill)
	defer timer.Stop()
	var exit *exec.ExitError
	if err := w.cmd.Wait(); !errors.As(err, &exit) {
		return errDied
	}
	switch exit.ExitCode() {
	case memlimit.ExitMemory, memlimit.ExitCrash:
		return errMemory
	case exitTime:
		return errTime
	}
	return errDied
}
