package directory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/causeway-gitops/causeway/internal/confine"
	"github.com/causeway-gitops/causeway/internal/render/process"
)

// worker is the engine's end of one process.
type worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *process.Tail
	timer  *time.Timer
}

// stderrBytes is what is kept of a worker's last words.
const stderrBytes = 8 << 10

// startWorker starts a process that outlives the context: the next render
// uses it, too. It ends when its input does.
func startWorker(ctx context.Context, exe string, memory int64) (*worker, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), exe)
	// No traces of a crash, and no more threads than a program without
	// parallelism and its garbage collector need.
	cmd.Env = []string{workerMark + "=" + strconv.FormatInt(memory, 10), confine.Parent(), "GOTRACEBACK=none", "GOMAXPROCS=2"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal is not for it
	w := &worker{cmd: cmd, stderr: process.NewTail(stderrBytes)}
	cmd.Stderr = w.stderr
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("cannot start a process for Jsonnet: %w", err)
	}
	if w.out, err = cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("cannot start a process for Jsonnet: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a process for Jsonnet: %w", err)
	}
	return w, nil
}

// resolver finds an import, or says why there is none.
type resolver func(from, name string) content

// talk has one file evaluated.
func (w *worker) talk(e evaluation, imports resolver) (*result, error) {
	if err := send(w.in, message{Evaluate: &e}); err != nil {
		return nil, err
	}
	for {
		m, err := receive(w.out)
		if err != nil {
			return nil, err
		}
		if m.Result != nil {
			return m.Result, nil
		}
		if m.Import == nil {
			return nil, errFrame
		}
		c := imports(m.Import.From, m.Import.Name)
		if err := send(w.in, message{Content: &c}); err != nil {
			return nil, err
		}
	}
}

func (w *worker) kill() { _ = w.cmd.Process.Kill() }

// dismiss lets an idle worker end by itself, as it does at the end of its
// input, and waits for it.
func (w *worker) dismiss() {
	_ = w.in.Close()
	timer := time.AfterFunc(grace, w.kill)
	defer timer.Stop()
	_ = w.cmd.Wait()
}

// grace is how long a worker that stopped talking may take to say why.
const grace = 2 * time.Second

// end waits for a worker that stopped talking and tells why it did.
func (w *worker) end() error {
	_ = w.in.Close()
	timer := time.AfterFunc(grace, w.kill)
	defer timer.Stop()
	err := w.cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return errDied
	}
	said := w.stderr.String()
	switch {
	case exit.ExitCode() == confine.ExitMemory, strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return errMemory
	case strings.Contains(said, "stack overflow"), strings.Contains(said, "stack exceeds"):
		return errDeep
	}
	return errDied
}
