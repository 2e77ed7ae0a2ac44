package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/causeway-gitops/causeway/internal/memlimit"
	"github.com/causeway-gitops/causeway/internal/render/process"
)

// child is the engine's end of one process.
type child struct {
	*Conn

	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr words
	timer  *time.Timer
	// used: it has done another task, of which it may keep something; project is whose
	// that was.
	used    bool
	project string
	// pool is whose worker it is, limit the memory that it may hold.
	pool  *Pool
	limit int64
}

// stderrBytes is what is kept of a worker's first words, and of its last.
const stderrBytes = 8 << 10

// words are the first and the last of what a worker wrote: a crash says what it was
// before all that it tells of where it was.
type words struct {
	first *bytes.Buffer
	last  *process.Tail
}

func newWords() words { return words{&bytes.Buffer{}, process.NewTail(stderrBytes)} }

// Write implements io.Writer.
func (w words) Write(p []byte) (int, error) {
	w.first.Write(p[:min(len(p), stderrBytes-w.first.Len())])
	return w.last.Write(p)
}

func (w words) String() string { return w.first.String() + w.last.String() }

// spare is how many times as long as a task may take a worker computes that
// nobody ends.
const spare = 2

// start starts a process that outlives the context: the next one uses it, too.
// It ends when its input does.
func start(ctx context.Context, kind string, l Limits) (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find the executable that does the work of %s: %w", kind, err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), exe)
	// No traces of a crash, and no more threads than a program without
	// parallelism and its garbage collector need.
	cmd.Env = []string{fmt.Sprintf("%s=%s %d %d", mark, kind, l.Memory, spare*l.Time), memlimit.Parent(), "GOTRACEBACK=none", "GOMAXPROCS=2"}
	if zone, set := os.LookupEnv("TZ"); set { // templates write dates
		cmd.Env = append(cmd.Env, "TZ="+zone)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal is not for it
	c := &child{cmd: cmd, stderr: newWords()}
	cmd.Stderr = c.stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		c.in, err = cmd.StdinPipe()
	}
	if err == nil {
		c.Conn = NewConn(out, c.in)
		c.head = maxHead
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot start a process for %s: %w", kind, err)
	}
	return c, nil
}

func (c *child) kill() { _ = c.cmd.Process.Kill() }

// dismiss lets an idle worker end by itself, as it does at the end of its
// input, and waits for it.
func (c *child) dismiss() { _ = c.wait() }

// grace is how long a worker that stopped talking may take to say why.
const grace = 2 * time.Second

func (c *child) wait() error {
	_ = c.in.Close()
	timer := time.AfterFunc(grace, c.kill)
	defer timer.Stop()
	return c.cmd.Wait()
}

// end waits for a worker that stopped talking and tells why it did.
func (c *child) end() error {
	var exit *exec.ExitError
	if !errors.As(c.wait(), &exit) {
		return ErrDied
	}
	said := c.stderr.String()
	switch {
	case exit.ExitCode() == memlimit.ExitMemory, strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return ErrMemory
	case strings.Contains(said, "stack overflow"), strings.Contains(said, "stack exceeds"):
		return ErrDeep
	}
	return ErrDied
}
