package compute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/causeway-gitops/causeway/internal/worker"
)

// workerKind names the processes that compute.
const workerKind = "Secrets"

const (
	memory   = 128 << 20
	patience = 10 * time.Second
	parallel = 2
)

// request is what a worker is to do; one field is set.
type request struct {
	Job   *Job   `json:"job,omitempty"`
	Texts *Texts `json:"texts,omitempty"`
}

var errRequest = errors.New("a request that is none")

// outcome is what a worker says of a request.
type outcome struct {
	Failure string   `json:"failure,omitempty"`
	Missing []string `json:"missing,omitempty"`
	Empty   bool     `json:"empty,omitempty"`

	Texts map[string]string `json:"texts,omitempty"`
}

// Worker makes this process one that computes if it was started as one, and does
// not return then: see worker.Hook.
func Worker() {
	worker.Hook(workerKind, serve)
}

func serve(c *worker.Conn) error {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // libraries tell of values
	for {
		var r request
		if _, err := c.Receive(&r); err != nil {
			return err
		}
		said, text, err := r.do()
		if err != nil {
			return err
		}
		if err := c.Send(said, text); err != nil {
			return err
		}
	}
}

func (r request) do() (said outcome, object []byte, err error) {
	switch {
	case r.Job != nil:
		said, object = do(*r.Job)
	case r.Texts != nil:
		said.Texts, err = r.Texts.run()
		said.Failure = r.Texts.failure(err)
	default:
		return outcome{}, nil, errRequest
	}
	return said, object, nil
}

// do is what a worker says of a job, with the object in JSON.
func do(job Job) (outcome, []byte) {
	made, values, err := run(job)
	if err != nil {
		return outcome{Failure: failure(err, job.secrets(values), job.templates())}, nil
	}
	text, err := json.Marshal(made.Object)
	if err != nil {
		return outcome{Failure: "what came of the templates is no JSON"}, nil
	}
	return outcome{Missing: made.Missing, Empty: made.Object == nil}, text
}

// Pool has jobs done. It is safe for concurrent use.
type Pool struct{ workers *worker.Pool }

// NewPool has them done by workers where this executable calls Worker, else in
// this process.
func NewPool() *Pool {
	if !worker.Hooked(workerKind) {
		return &Pool{}
	}
	return &Pool{workers: worker.NewPool(workerKind, worker.Limits{Memory: memory, Time: patience, Parallel: parallel})}
}

// Close ends the workers.
func (p *Pool) Close() {
	if p.workers != nil {
		p.workers.Close()
	}
}

// Do is what a job makes, for the project of the context (slots.ForProject).
// The error of a job that cannot be done holds no value.
func (p *Pool) Do(ctx context.Context, job Job) (Made, error) {
	said, text, err := p.answer(ctx, job)
	switch {
	case err != nil:
		return Made{}, fmt.Errorf("cannot render the templates: %w", err)
	case said.Failure != "":
		return Made{}, errors.New(said.Failure)
	case said.Empty:
		return Made{Missing: said.Missing}, nil
	}
	made := Made{Missing: said.Missing}
	if err := utiljson.Unmarshal(text, &made.Object); err != nil {
		return Made{}, errors.New("cannot render the templates: what came of them is no object")
	}
	return made, nil
}

func (p *Pool) answer(ctx context.Context, job Job) (said outcome, text []byte, err error) {
	if p.workers == nil {
		said, text = do(job)
		return said, text, nil
	}
	err = p.workers.Do(ctx, func(c *worker.Conn) error {
		said = outcome{}
		if err := c.Send(request{Job: &job}, nil); err != nil {
			return err
		}
		text, err = c.Receive(&said)
		return err
	})
	return said, text, err
}
