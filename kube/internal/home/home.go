// Package home is the folder a cluster lives in: where its data, keys and log are, which port it serves on, and the
// lock that keeps a second process out. It knows nothing of what the files hold.
package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	prefix = "causeway-kube-"
	// socketRoom is how long a folder's path may be so that a socket inside fits the 104 bytes that macOS allows.
	socketRoom = 80
)

// Home is an open folder, locked for this process.
type Home struct {
	// Dir holds what a restart needs.
	Dir string
	// Run holds what only this run needs: sockets, the certificates just issued, configuration of the components.
	Run string
	// Temporary says that Dir goes away with the process.
	Temporary bool

	// portWithin is how long the port of the last run is waited for.
	portWithin time.Duration

	lock    *os.File // held on Dir
	runLock *os.File // held on Run when that is another folder
}

// Open locks dir and makes what is missing in it. An empty dir asks for a temporary home.
func Open(dir string) (*Home, error) {
	sweep(os.TempDir())
	run, err := makeRun()
	if err != nil {
		return nil, err
	}
	h := &Home{Dir: run.dir, Run: run.dir, Temporary: true, portWithin: portWithin, lock: run.lock}
	if dir == "" {
		return h, nil
	}
	if err := h.persist(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(run.dir), run.lock.Close())
	}
	return h, nil
}

// persist turns a temporary home into one whose data is kept in dir.
func (h *Home) persist(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("cannot use data folder %s: %w", dir, err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return fmt.Errorf("cannot make data folder %s: %w", abs, err)
	}
	// Keys live here: other users of this machine must not look in, whoever made the folder.
	if err := os.Chmod(abs, 0o700); err != nil { //nolint:gosec // a folder, which its user has to enter
		return fmt.Errorf("cannot close data folder %s to other users: %w", abs, err)
	}
	lock, err := acquire(abs)
	if err != nil {
		return fmt.Errorf("cannot use data folder %s: %w", abs, err)
	}
	h.Dir, h.Temporary = abs, false
	h.runLock, h.lock = h.lock, lock
	return nil
}

// Path names a file of the data folder.
func (h *Home) Path(name string) string { return filepath.Join(h.Dir, name) }

// RunPath names a file that only this run needs.
func (h *Home) RunPath(name string) string { return filepath.Join(h.Run, name) }

// Close removes what is temporary and gives up the lock.
func (h *Home) Close() error {
	err := os.RemoveAll(h.Run)
	if h.runLock != nil {
		err = errors.Join(err, h.runLock.Close())
	}
	err = errors.Join(err, h.lock.Close())
	if err != nil {
		return fmt.Errorf("cannot clear up %s: %w", h.Run, err)
	}
	return nil
}
