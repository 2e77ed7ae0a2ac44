// Package leash ends with a test whatever the test has started, however the test ends: its control planes, fleets in
// the background, engines and the programs these run, and the files they leave in the temporary folder. A process that
// left for a session of its own is found by its environment, which all that a process starts inherit.
//
// It needs /proc; where there is none, only the files go.
package leash

import (
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Variable names all who hold a process, from the first to the last.
const Variable = "CAUSEWAY_LEASH"

//go:embed sweep.sh
var sweep string

// The variables that name temporary folders: of everybody, and of the go command alone, which leaves the environment of
// tests, and so what it remembers of them, as it is.
const (
	Temporary   = "TMPDIR"
	GoTemporary = "GOTMPDIR"
)

// Hold ties to this process all that it starts from now on, and gives it a temporary folder of its own in a variable. What
// is left when the process has ended, or has called release, is killed and its files are removed.
func Hold(folder string) (release func(), err error) {
	dir, err := os.MkdirTemp("", "cw-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // a database server runs as another user below it; names in it cannot be listed
		return nil, err
	}
	name := rand.Text()
	ended, err := watch(name, dir)
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	holders := strings.TrimSpace(os.Getenv(Variable) + " " + name)
	if err := errors.Join(os.Setenv(Variable, holders), os.Setenv(folder, dir)); err != nil {
		return nil, err
	}
	return ended, nil
}

// watch starts what sweeps once this process has ended or calls ended, which waits for it.
func watch(name, dir string) (ended func(), err error) {
	watcher := exec.Command("sh", "-c", sweep, "leash", name, dir) //nolint:noctx // it outlives this process
	watcher.Env = []string{"PATH=" + os.Getenv("PATH")}            // it must not find itself
	watcher.Stderr = os.Stderr
	watcher.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a signal to the group of this process is not for it
	alive, err := watcher.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := watcher.Start(); err != nil {
		return nil, fmt.Errorf("cannot watch over what tests start: %w", err)
	}
	return func() {
		_ = alive.Close()
		_ = watcher.Wait() // what it could not do it has said
	}, nil
}

// Held calls run, which is a whole TestMain, and ends with it all that it has started. It returns what run does.
func Held(run func() int) int { return HeldBy(Temporary, run) }

// HeldBy is Held with another variable for the temporary folder.
func HeldBy(folder string, run func() int) int {
	release, err := Hold(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer release()
	return run()
}
