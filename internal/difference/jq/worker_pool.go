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
)

var (
	errMemory = fmt.Errorf("it needs more than %d MiB of memory", workerBytes>>20)
	errDied   = errors.New("the process that evaluates it was ended from outside")
)

// workers are started when they are needed. They end when they are idle, and
// with this process.
var workers = newPool()

type pool struct {
	// slots are shared: of one project, half of the workers are busy at most.
	slots *slots.Slots
	mu    sync.Mutex
	idle  []*worker
}

func newPool() *pool { return &pool{slots: slots.New(maxWorkers)} }

// ask has a worker answer a question of a project. It tells what that took of a
// processor, or how long it was where the worker cannot tell that any more.
func (p *pool) ask(ctx context.Context, project string, about question) (*answer, time.Duration, error) {
	if _, err := p.slots.Take(ctx, slots.Of(project)); err != nil {
		return nil, 0, err
	}
	defer p.slots.Give(project)
	begun := time.Now()
	a, err := p.answer(ctx, about)
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
		return nil, ctx.Err()
	}
	w, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, w.kill)
	a, err := w.talk(line)
	if !stop() || err != nil {
		return nil, w.end()
	}
	p.give(w)
	return a, a.stopped()
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		w.timer.Stop()
		return w, nil
	}
	return start(ctx)
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
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	timer *time.Timer
}

// start starts a process that outlives the context: the next question is for
// it, too. It ends when its input does.
func start(ctx context.Context) (*worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable for evaluating jq: %w", err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), exe)
	cmd.Env = []string{workerMark + "=1", memlimit.Parent(), "GOTRACEBACK=none", "GOMAXPROCS=2"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal is not for it
	w := &worker{cmd: cmd}
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("cannot start a process for jq: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start a process for jq: %w", err)
	}
	w.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a process for jq: %w", err)
	}
	return w, nil
}

// talk has one question answered.
func (w *worker) talk(line []byte) (*answer, error) {
	if _, err := w.in.Write(line); err != nil {
		return nil, err
	}
	text, err := w.out.ReadBytes('\n')
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
