package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockName is the file whose lock the running `up` holds; it has its process ID.
const lockName = "lock"

// ErrRunning says that a fleet is up already.
var ErrRunning = errors.New("it is running already")

// ErrNotRunning says that a fleet is not up.
var ErrNotRunning = errors.New("it is not running")

// lockPatience outlasts a command that looks whether the lock is held.
const lockPatience = 200 * time.Millisecond

// Lock is held while a fleet is up. The operating system lets go of it when
// the process ends, however it ends.
type Lock struct{ file *flock.Flock }

// Lock takes the fleet's lock and makes its home.
func (h Home) Lock() (*Lock, error) {
	if err := h.make(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(h.dir, lockName)); err == nil && !h.Exists() {
		return nil, fmt.Errorf("cannot lock %s: %s is no file; remove it", h.dir, filepath.Join(h.dir, lockName))
	}
	file := flock.New(filepath.Join(h.dir, lockName), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	locked, err := file.TryLockContext(ctx, lockPatience/10)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("cannot lock %s: %w", h.dir, err)
	}
	if !locked {
		return nil, fmt.Errorf("cannot start fleet %s (process %s): %w; stop it with `causeway down`, or see it with `causeway get apps`",
			h.Fleet(), h.holder(), ErrRunning)
	}
	// The ID is for whoever finds the lock taken. It is written after the lock
	// is held, so it can only be that of the holder, or of nobody.
	if err := os.WriteFile(file.Path(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot write %s: %w", file.Path(), err), file.Unlock())
	}
	return &Lock{file: file}, nil
}

// Release lets another process have the fleet.
func (l *Lock) Release() error {
	return errors.Join(os.Truncate(l.file.Path(), 0), l.file.Unlock())
}

// Running reports whether a process holds the fleet.
func (h Home) Running() bool {
	if !h.Exists() {
		return false
	}
	file := flock.New(filepath.Join(h.dir, lockName), flock.SetFlag(os.O_RDONLY))
	locked, err := file.TryRLock()
	if err != nil {
		return false
	}
	if locked {
		_ = file.Unlock()
	}
	return !locked
}

func (h Home) holder() string {
	text, err := os.ReadFile(filepath.Join(h.dir, lockName))
	if err != nil || strings.TrimSpace(string(text)) == "" {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// pid returns the process that holds the lock right now.
func (h Home) pid() (int, error) {
	if !h.Running() {
		return 0, ErrNotRunning
	}
	pid, err := strconv.Atoi(h.holder())
	if err != nil || pid <= 1 {
		return 0, fmt.Errorf("cannot tell which process runs fleet %s: it is just starting or ending; try again", h.Fleet())
	}
	return pid, nil
}

// Pauses of Stop.
const (
	stopPoll   = 50 * time.Millisecond
	killAfter  = 40 * time.Second
	killWithin = 10 * time.Second
)

// Stop ends the process that runs the fleet and waits for its end.
func (h Home) Stop(ctx context.Context) error {
	pid, err := h.pid()
	if err != nil {
		return err
	}
	if err := h.signal(ctx, pid, syscall.SIGTERM, killAfter); err == nil || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	return h.signal(ctx, pid, syscall.SIGKILL, killWithin)
}

func (h Home) signal(ctx context.Context, pid int, signal syscall.Signal, within time.Duration) error {
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("cannot stop process %d of fleet %s: %w", pid, h.Fleet(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for h.Running() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("fleet %s (process %d) has not stopped within %s: %w", h.Fleet(), pid, within, ctx.Err())
		case <-time.After(stopPoll):
		}
	}
	return nil
}
