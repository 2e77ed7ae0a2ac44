package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrInUse says that another process runs a cluster from the same folder.
var ErrInUse = errors.New("another causeway-kube is running from it; stop that one first")

const lockName = "lock"

// acquire takes the folder's lock, which the kernel gives back when the process ends, however it ends.
func acquire(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open its lock: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(ErrInUse, file.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot lock it: %w", err), file.Close())
	}
	return file, nil
}

type run struct {
	dir  string
	lock *os.File
}

// makeRun makes a locked folder for this run, short enough in its path for a socket.
func makeRun() (run, error) {
	parent := os.TempDir()
	if len(parent)+len(prefix) > socketRoom {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, prefix) // MkdirTemp makes the folder 0700
	if err != nil {
		return run{}, fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	lock, err := acquire(dir)
	if err != nil {
		return run{}, errors.Join(fmt.Errorf("cannot use temporary folder %s: %w", dir, err), os.RemoveAll(dir))
	}
	return run{dir: dir, lock: lock}, nil
}

// sweep removes the temporary folders of processes that were killed. A folder whose lock can be had has no owner;
// a young one may belong to a process that is about to take its lock.
func sweep(parent string) {
	dirs, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		info, err := os.Stat(filepath.Join(dir, lockName))
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		lock, err := acquire(dir)
		if err != nil {
			continue
		}
		// Best effort: what cannot be removed now is met again by the next start.
		_ = os.RemoveAll(dir)
		_ = lock.Close()
	}
}
