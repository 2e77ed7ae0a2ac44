package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/causeway-gitops/causeway/internal/confine"
)

// mark in the environment makes a process a worker. Its value says of which
// kind, and how many bytes of memory it may take.
const mark = "CAUSEWAY_WORKER"

// hooks are the kinds that this executable can be.
var hooks sync.Map

// Hook makes this process a worker if it was started as one of this kind, and
// does not return then. serve answers until the input ends. It belongs to the
// beginning of main, and of TestMain: what a worker would do is done inside
// the engine where it is missing, and cannot be stopped.
func Hook(kind string, serve func(*Conn) error) {
	text, isWorker := os.LookupEnv(mark)
	if !isWorker {
		hooks.Store(kind, true)
		return
	}
	var mine string
	var memory int64
	if _, err := fmt.Sscan(text, &mine, &memory); err != nil || memory <= 0 {
		os.Exit(2) //nolint:mnd // wrong use
	}
	if mine != kind {
		return
	}
	endAlone()
	confine.Memory(memory)
	go confine.Watch(memory, endAlone)
	if err := serve(newConn(os.Stdin, os.Stdout)); err != nil && !errors.Is(err, io.EOF) {
		os.Exit(1)
	}
	os.Exit(0)
}

// endAlone ends the process where the one that asks is gone: what computes does
// not notice.
func endAlone() {
	if confine.Orphan() {
		os.Exit(1)
	}
}

// Hooked reports whether this executable can be a worker of a kind.
func Hooked(kind string) bool {
	_, ok := hooks.Load(kind)
	return ok
}
