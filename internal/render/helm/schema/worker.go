package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/worker"
)

const (
	// workerKind names the processes that judge.
	workerKind = "JSONSchema"
	// workerBytes is what one may hold.
	workerBytes = 256 << 20
	// workerTime is how long it may take for all schemas of a chart.
	workerTime = 10 * time.Second
	// maxWorkers run at a time.
	maxWorkers = 2
)

// Worker makes this process one that judges if it was started as one, and does
// not return then: see worker.Hook.
func Worker() { worker.Hook(workerKind, serve) }

// workers are those of all charts, and nobody closes them. They end when they
// are idle, and with this process.
var workers = sync.OnceValue(func() *worker.Pool {
	return worker.NewPool(workerKind, worker.Limits{Memory: workerBytes, Time: workerTime, Parallel: maxWorkers})
})

// reply is what a worker says to the parts that it is given.
type reply struct {
	Verdict Verdict `json:"verdict"`
	// Broken is what is wrong with a schema.
	Broken string `json:"broken,omitempty"`
}

// serve judges until the input ends.
func serve(c *worker.Conn) error {
	for {
		var kind string
		question, err := c.Receive(&kind)
		if err != nil {
			return err
		}
		numbered := json.NewDecoder(bytes.NewReader(question))
		numbered.UseNumber()
		var parts []Part
		if err := numbered.Decode(&parts); err != nil {
			return err
		}
		var r reply
		if r.Verdict, err = judge(parts); err != nil {
			r.Broken = err.Error()
		}
		if err := c.Send(r, nil); err != nil {
			return err
		}
	}
}

// ask has a worker judge.
func ask(ctx context.Context, parts []Part) (Verdict, error) {
	question, err := json.Marshal(parts)
	if err != nil {
		return Verdict{}, fmt.Errorf("cannot write down what schemas are about: %w", err)
	}
	var r reply
	err = workers().Do(ctx, func(c *worker.Conn) error {
		if err := c.Send(workerKind, question); err != nil {
			return err
		}
		_, err := c.Receive(&r)
		return err
	})
	switch {
	case err != nil:
		return Verdict{}, ended(err)
	case r.Broken != "":
		return Verdict{}, errors.New(r.Broken)
	}
	return r.Verdict, nil
}

// ended tells why a worker ended before it had an answer.
func ended(err error) error {
	switch {
	case errors.Is(err, worker.ErrTime):
		return ErrTime
	case errors.Is(err, worker.ErrMemory), errors.Is(err, worker.ErrDeep):
		return fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return fmt.Errorf("cannot check the values: %w", err)
}
