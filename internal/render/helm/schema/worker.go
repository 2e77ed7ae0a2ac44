package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/confine"
	"github.com/causeway-gitops/causeway/internal/render/process"
)

const (
	// workerMark in the environment makes a process a worker.
	workerMark = "CAUSEWAY_SCHEMA_WORKER"
	// workerBytes is what a worker may hold.
	workerBytes = 256 << 20
	// workerTime is how long it may take for all schemas of a chart.
	workerTime = 10 * time.Second
	// maxWorkers run at a time.
	maxWorkers = 2
)

// hooked tells that this executable can be a worker.
var hooked atomic.Bool

var slots = make(chan struct{}, maxWorkers)

// reply is what a worker says.
type reply struct {
	Verdict Verdict `json:"verdict"`
	// Broken is what is wrong with a schema.
	Broken string `json:"broken,omitempty"`
}

// Worker makes this process a worker if it was started as one, and does not
// return then. It belongs to the beginning of main, and of TestMain: where it
// is missing, all schemas are judged inside the engine.
func Worker() {
	if os.Getenv(workerMark) == "" {
		hooked.Store(true)
		return
	}
	confine.Memory(workerBytes)
	parent := os.Getppid()
	go confine.Watch(workerBytes, func() { // judging does not notice that nobody waits for it
		if os.Getppid() != parent {
			os.Exit(1)
		}
	})
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// serve answers one question.
func serve(in io.Reader, out io.Writer) error {
	question := json.NewDecoder(in)
	question.UseNumber()
	var parts []Part
	if err := question.Decode(&parts); err != nil {
		return err
	}
	var r reply
	v, err := judge(parts)
	if err != nil {
		r.Broken = err.Error()
	}
	r.Verdict = v
	return json.NewEncoder(out).Encode(r)
}

// ask has a worker judge.
func ask(ctx context.Context, parts []Part) (Verdict, error) {
	question, err := json.Marshal(parts)
	if err != nil {
		return Verdict{}, fmt.Errorf("cannot write down what schemas are about: %w", err)
	}
	exe, err := os.Executable()
	if err != nil {
		return Verdict{}, fmt.Errorf("cannot find the executable for checking values: %w", err)
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return Verdict{}, ctx.Err()
	}
	said, err := process.Run(ctx, process.Command{
		Path: exe, Env: []string{workerMark + "=1", "GOTRACEBACK=none", "GOMAXPROCS=2"}, Input: question,
		Limits: process.Limits{Time: workerTime, Memory: -1, Processes: -1}, // it limits its memory itself
	})
	if err != nil {
		return Verdict{}, ended(err)
	}
	var r reply
	if err := json.Unmarshal(said, &r); err != nil {
		return Verdict{}, fmt.Errorf("cannot read what the process that checks values says: %w", err)
	}
	if r.Broken != "" {
		return Verdict{}, errors.New(r.Broken)
	}
	return r.Verdict, nil
}

// ended tells why a worker ended before it had an answer.
func ended(err error) error {
	var e *process.Error
	switch {
	case !errors.As(err, &e):
		return err
	case errors.Is(err, process.ErrTime):
		return ErrTime
	case e.Code == confine.ExitMemory, e.Code == confine.ExitCrash:
		return ErrMemory
	}
	return fmt.Errorf("the process that checks values was ended from outside: %w", err)
}
