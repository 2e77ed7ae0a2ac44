package directory

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/go-jsonnet"

	"github.com/causeway-gitops/causeway/internal/confine"
)

// workerMark in the environment makes a process a worker. Its value is the
// memory that the worker may take, in bytes.
const workerMark = "CAUSEWAY_JSONNET_WORKER"

// hooked tells that this executable can be a worker.
var hooked atomic.Bool

// Worker makes this process a Jsonnet worker if it was started as one, and
// does not return then. It is the first call of main, and of TestMain:
// Jsonnet is evaluated inside the engine where it is missing, and a program
// that does not end cannot be stopped.
func Worker() {
	memory, isWorker := os.LookupEnv(workerMark)
	if !isWorker {
		hooked.Store(true)
		return
	}
	limit, err := strconv.ParseInt(memory, 10, 64)
	if err != nil || limit <= 0 {
		os.Exit(2) //nolint:mnd // wrong use
	}
	endIfUnwanted(0)
	confine.Memory(limit)
	var ends atomic.Int64
	go confine.Watch(limit, func() { endIfUnwanted(ends.Load()) })
	if err := serve(os.Stdin, os.Stdout, &ends); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// endIfUnwanted ends the process where the one that asks is gone, or let it go
// on for too long: an evaluation notices neither. The end is in nanoseconds
// since 1970, and 0 while nothing is evaluated.
func endIfUnwanted(end int64) {
	if confine.Orphan() || end != 0 && time.Now().UnixNano() > end {
		os.Exit(1)
	}
}

// serve evaluates files until the input ends. It keeps in ends when the
// evaluation that is under way has to be over.
func serve(in io.Reader, out io.Writer, ends *atomic.Int64) error {
	for {
		m, err := receive(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if m.Evaluate == nil {
			return errFrame
		}
		ends.Store(m.Evaluate.end())
		r := answer(*m.Evaluate, &asker{in: in, out: out, seen: map[importing]found{}})
		ends.Store(0)
		if len(r.Text) > maxFrame/2 {
			r = &result{Error: fmt.Sprintf("RUNTIME ERROR: the result has %d bytes, more than the limit of %d", len(r.Text), maxFrame/2)}
		}
		if err := send(out, message{Result: r}); err != nil {
			return err
		}
	}
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

// end is when a worker ends by itself that nobody ended before: its engine does
// so in half the time.
func (e evaluation) end() int64 {
	if e.Time <= 0 {
		return 0
	}
	return time.Now().Add(2 * e.Time).UnixNano() //nolint:mnd // see above
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
	in   io.Reader
	out  io.Writer
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
	if err := send(a.out, message{Import: &key}); err != nil {
		return found{err: err}
	}
	m, err := receive(a.in)
	if err != nil {
		return found{err: err}
	}
	if m.Content == nil {
		return found{err: errFrame}
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
