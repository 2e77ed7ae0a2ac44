package directory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/google/go-jsonnet"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// workerKind names the processes that evaluate Jsonnet.
const workerKind = "Jsonnet"

// Worker makes this process one that evaluates Jsonnet if it was started as
// one, and does not return then: see worker.Hook.
func Worker() { worker.Hook(workerKind, serve) }

// NewWorkers are processes that evaluate Jsonnet.
func NewWorkers(l worker.Limits) *worker.Pool { return worker.NewPool(workerKind, l) }

// shared are the workers of renderers that bring none of their own, and that
// nobody closes. They end when they are idle, and with this process.
var shared = sync.OnceValue(func() *worker.Pool { return NewWorkers(worker.Limits{}) })

// resolver finds an import, or says why there is none.
type resolver func(from, name string) content

// programError is what the interpreter says of a program.
type programError struct{ text string }

func (e *programError) Error() string { return e.text }

// apart returns what a file evaluates to in a worker. Errors of the program
// are a *programError.
func (e evaluation) apart(ctx context.Context, workers *worker.Pool, imports resolver) (string, error) {
	var r *result
	err := workers.Do(ctx, func(c *worker.Conn) (err error) {
		r, err = e.talk(c, imports)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case r.Error != "":
		return "", &programError{r.Error}
	}
	return string(r.Text), nil
}

// talk has one file evaluated, and answers the worker's questions meanwhile.
func (e evaluation) talk(c *worker.Conn, imports resolver) (*result, error) {
	if err := c.Send(message{Evaluate: &e}, nil); err != nil {
		return nil, err
	}
	for {
		var m message
		if _, err := c.Receive(&m); err != nil {
			return nil, err
		}
		if m.Result != nil {
			return m.Result, nil
		}
		if m.Import == nil {
			return nil, errMessage
		}
		found := imports(m.Import.From, m.Import.Name)
		if err := c.Send(message{Content: &found}, nil); err != nil {
			return nil, err
		}
	}
}

// serve evaluates files until the input ends.
func serve(c *worker.Conn) error {
	for {
		var m message
		if _, err := c.Receive(&m); err != nil {
			return err
		}
		if m.Evaluate == nil {
			return errMessage
		}
		r := answer(*m.Evaluate, &asker{conn: c, seen: map[importing]found{}})
		if len(r.Text) > maxText {
			r = &result{Error: fmt.Sprintf("RUNTIME ERROR: the result has %d bytes, more than the limit of %d", len(r.Text), maxText)}
		}
		r.Error = brief(r.Error)
		if err := c.Send(message{Result: r}, nil); err != nil {
			return err
		}
	}
}

// brief bounds what an error says, and the lines below it that say where, each by half.
func brief(text string) string {
	said, where, lines := strings.Cut(text, "\n")
	if said = gitops.First(said, maxError/2); !lines {
		return said
	}
	return said + "\n" + gitops.First(where, maxError/2)
}

// answer evaluates one file; a panic of the interpreter is its error.
func answer(e evaluation, imports jsonnet.Importer) (r *result) {
	defer func() {
		if p := recover(); p != nil {
			r = &result{Error: fmt.Sprintf("RUNTIME ERROR: the interpreter gave up: %v", p)}
		}
	}()
	out, err := e.run(imports)
	if err != nil {
		return &result{Error: err.Error()}
	}
	return &result{Text: []byte(out)}
}

func (e evaluation) run(imports jsonnet.Importer) (string, error) {
	vm := jsonnet.MakeVM()
	vm.MaxStack = e.Stack
	vm.SetTraceOut(io.Discard)
	vm.Importer(imports)
	for _, v := range e.Variables {
		set := vm.ExtVar
		switch {
		case v.Top && v.Code:
			set = vm.TLACode
		case v.Top:
			set = vm.TLAVar
		case v.Code:
			set = vm.ExtCode
		}
		set(v.Name, v.Value)
	}
	return vm.EvaluateSnippet(e.File, string(e.Text)) //nolint:staticcheck // its successors resolve imports from elsewhere, or read the file again
}

// asker has imports resolved by the engine. It keeps contents identical for
// each path, as the interpreter asks.
type asker struct {
	conn *worker.Conn
	seen map[importing]found
	byID map[string]jsonnet.Contents
}

type found struct {
	contents jsonnet.Contents
	path     string
	err      error
}

// Import implements jsonnet.Importer.
func (a *asker) Import(from, name string) (jsonnet.Contents, string, error) {
	key := importing{from, name}
	f, ok := a.seen[key]
	if !ok {
		f = a.ask(key)
		a.seen[key] = f
	}
	return f.contents, f.path, f.err
}

func (a *asker) ask(key importing) found {
	if err := a.conn.Send(message{Import: &key}, nil); err != nil {
		return found{err: err}
	}
	var m message
	if _, err := a.conn.Receive(&m); err != nil {
		return found{err: err}
	}
	if m.Content == nil {
		return found{err: errMessage}
	}
	if m.Content.Missing != "" {
		return found{err: errors.New(m.Content.Missing)}
	}
	if a.byID == nil {
		a.byID = map[string]jsonnet.Contents{}
	}
	c, ok := a.byID[m.Content.Path]
	if !ok {
		c = jsonnet.MakeContentsRaw(m.Content.Text)
		a.byID[m.Content.Path] = c
	}
	return found{contents: c, path: m.Content.Path}
}
