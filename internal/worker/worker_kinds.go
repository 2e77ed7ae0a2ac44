package worker

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/memlimit"
)

// mark in the environment makes a process a worker. Its value says of which
// kind, how many bytes of memory it may take, and for how long it may compute.
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
	var most time.Duration
	if _, err := fmt.Sscan(text, &mine, &memory, (*int64)(&most)); err != nil || memory <= 0 {
		os.Exit(2) //nolint:mnd // wrong use
	}
	if mine != kind {
		return
	}
	c := NewConn(os.Stdin, os.Stdout)
	unwanted := func() {
		if memlimit.Orphan() || most > 0 && c.silent() > most {
			os.Exit(1)
		}
	}
	unwanted()
	http.DefaultTransport = offline{}
	memlimit.Memory(memory)
	go memlimit.Watch(memory, unwanted) // ends with the process: what computes notices neither
	if err := serve(c); err != nil && !errors.Is(err, io.EOF) {
		os.Exit(1)
	}
	os.Exit(0)
}

// offline refuses each connection: what a worker needs it asks the engine for, and
// this holds libraries to that. Nor has it a PATH by which they would find a program.
type offline struct{}

// RoundTrip implements http.RoundTripper.
func (offline) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nothing is read from elsewhere here")
}

// Hooked reports whether this executable can be a worker of a kind.
func Hooked(kind string) bool {
	_, ok := hooks.Load(kind)
	return ok
}
