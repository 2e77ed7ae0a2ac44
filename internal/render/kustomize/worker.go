package kustomize

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/worker"
)

// workerKind names the processes that build kustomizations.
const workerKind = "Kustomize"

// Worker makes this process one that builds kustomizations if it was started
// as one, and does not return then: see worker.Hook.
func Worker() { worker.Hook(workerKind, serve) }

// buildTime is longer than a render may take: that is what ends a build.
const buildTime = time.Hour

// shared are the workers of renderers that bring none of their own, and that
// nobody closes. They end when they are idle, and with this process.
var shared = sync.OnceValue(func() *worker.Pool { return worker.NewPool(workerKind, worker.Limits{Time: buildTime, Asks: true}) })

// saying is what the engine and a worker say to each other; one field is set.
// The engine says Order, the worker Call as often as it needs to, each answered
// by Reply, and Result at the end, with the objects one after the other.
type saying struct {
	Order  *order  `json:",omitempty"`
	Call   *call   `json:",omitempty"`
	Reply  *reply  `json:",omitempty"`
	Result *result `json:",omitempty"`
}

// call is a question to the file system.
type call struct{ Op, Path string }

// reply answers one; the text of a file is the body of the message.
type reply struct {
	Yes       bool     `json:",omitempty"`
	Dir, Name string   `json:",omitempty"`
	Names     []string `json:",omitempty"`
	Error     string   `json:",omitempty"`
	// Missing: the error is that there is no such file.
	Missing bool `json:",omitempty"`
}

// result is what was built, or the library's error.
type result struct {
	Objects []product
	Lengths []int
	Error   string
}

var errSaying = errors.New("a message is none that is expected now")

// apart has a worker build what is on the disk.
func (d *disk) apart(ctx context.Context, workers *worker.Pool) (built []product, err error) {
	var end *result
	var body []byte
	failed := workers.Do(ctx, func(c *worker.Conn) error {
		if err := c.Send(saying{Order: new(d.order())}, nil); err != nil {
			return err
		}
		end, body, err = d.answers(c)
		return err
	})
	if failed != nil {
		return nil, &apartError{failed}
	}
	if end.Error != "" {
		return nil, errors.New(end.Error)
	}
	return end.open(body)
}

// apartError is why no worker could do a build, which says nothing of what was
// to be built; but for ErrMemory and ErrDeep.
type apartError struct{ error }

// Unwrap returns the cause.
func (e *apartError) Unwrap() error { return e.error }

// answers answers the worker's questions until it has a result.
func (d *disk) answers(c *worker.Conn) (*result, []byte, error) {
	for {
		var s saying
		body, err := c.Receive(&s)
		switch {
		case err != nil:
			return nil, nil, err
		case s.Result != nil:
			return s.Result, body, nil
		case s.Call == nil:
			return nil, nil, errSaying
		}
		r, text := d.answer(*s.Call)
		if err := c.Send(saying{Reply: &r}, text); err != nil {
			return nil, nil, err
		}
	}
}

// The questions that the library asks of a file system.
const (
	opIsDir   = "IsDir"
	opExists  = "Exists"
	opReadDir = "ReadDir"
	opCleaned = "CleanedAbs"
	opRead    = "ReadFile"
)

func (d *disk) answer(c call) (reply, []byte) {
	switch c.Op {
	case opIsDir:
		return reply{Yes: d.IsDir(c.Path)}, nil
	case opExists:
		return reply{Yes: d.Exists(c.Path)}, nil
	case opReadDir:
		names, err := d.ReadDir(c.Path)
		return failing(reply{Names: names}, err), nil
	case opCleaned:
		dir, name, err := d.CleanedAbs(c.Path)
		return failing(reply{Dir: string(dir), Name: name}, err), nil
	case opRead:
		text, err := d.ReadFile(c.Path)
		return failing(reply{}, err), text
	}
	return reply{Error: errReadOnly.Error()}, nil
}

func failing(r reply, err error) reply {
	if err != nil {
		r.Error, r.Missing = err.Error(), errors.Is(err, fs.ErrNotExist)
	}
	return r
}

// open takes the objects apart.
func (r *result) open(body []byte) ([]product, error) {
	if len(r.Lengths) != len(r.Objects) {
		return nil, errSaying
	}
	for i, n := range r.Lengths {
		if n < 0 || n > len(body) {
			return nil, errSaying
		}
		r.Objects[i].JSON, body = body[:n:n], body[n:]
	}
	return r.Objects, nil
}
