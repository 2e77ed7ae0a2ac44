package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/causeway-gitops/causeway/internal/worker"
)

// workerKind names the processes that build kustomizations.
const workerKind = "Kustomize"

// Worker makes this process one that builds kustomizations if it was started
// as one, and does not return then: see worker.Hook.
func Worker() { worker.Hook(workerKind, serve) }

// buildTime is longer than a render may take: that is what ends a build.
const buildTime = time.Hour

// shared are the workers of all renderers, and nobody closes them. They end
// when they are idle, and with this process.
var shared = sync.OnceValue(func() *worker.Pool { return worker.NewPool(workerKind, worker.Limits{Time: buildTime}) })

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
func (d *disk) apart(ctx context.Context) (built []product, err error) {
	var end *result
	var body []byte
	failed := shared().Do(ctx, func(c *worker.Conn) error {
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

// offline refuses each connection: the library makes none of what the engine
// lets it see, and this holds it to that.
type offline struct{}

// RoundTrip implements http.RoundTripper.
func (offline) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nothing is read from elsewhere here")
}

// serve builds what is ordered until the input ends.
func serve(c *worker.Conn) error {
	http.DefaultTransport = offline{}
	for {
		var s saying
		if _, err := c.Receive(&s); err != nil {
			return err
		}
		if s.Order == nil {
			return errSaying
		}
		far := &farDisk{conn: c}
		r, body := far.build(*s.Order)
		if far.broken != nil {
			return far.broken
		}
		if err := c.Send(saying{Result: r}, body); err != nil {
			return err
		}
	}
}

// maxBuilt bounds what a build may give, in bytes.
const maxBuilt = 64 << 20

// build answers one order; a panic of the library is its error.
func (f *farDisk) build(o order) (r *result, body []byte) {
	defer func() {
		if p := recover(); p != nil {
			r, body = &result{Error: fmt.Sprintf("the library gave up: %v", p)}, nil
		}
		schemaOfAll() // of Kubernetes alone, for the next one
	}()
	built, err := o.run(f)
	if err != nil {
		return &result{Error: err.Error()}, nil
	}
	r = &result{Objects: built}
	for i := range built {
		r.Lengths = append(r.Lengths, len(built[i].JSON))
		body = append(body, built[i].JSON...)
		built[i].JSON = nil
		if len(body) > maxBuilt {
			return &result{Error: fmt.Sprintf("the result has more than the limit of %d bytes", maxBuilt)}, nil
		}
	}
	return r, body
}

// farDisk is the disk as the worker sees it: the engine has it.
type farDisk struct {
	filesys.FileSystem // none: what is not below is not called

	conn *worker.Conn
	// broken is why the engine cannot be asked any more.
	broken error
}

func (f *farDisk) ask(op, path string) (reply, []byte, error) {
	if f.broken != nil {
		return reply{}, nil, f.broken
	}
	var s saying
	err := f.conn.Send(saying{Call: &call{op, path}}, nil)
	var body []byte
	if err == nil {
		body, err = f.conn.Receive(&s)
	}
	if err == nil && s.Reply == nil {
		err = errSaying
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		f.broken = err
		return reply{}, nil, err
	}
	return *s.Reply, body, s.Reply.err()
}

// err is the error with the words that the engine said.
func (r *reply) err() error {
	switch {
	case r.Missing:
		return missing(r.Error)
	case r.Error != "":
		return errors.New(r.Error)
	}
	return nil
}

// missing is the error of a file that is not there.
type missing string

func (m missing) Error() string { return string(m) }

// Is makes it fs.ErrNotExist.
func (missing) Is(target error) bool { return target == fs.ErrNotExist }

// IsDir implements filesys.FileSystem.
func (f *farDisk) IsDir(path string) bool {
	r, _, err := f.ask(opIsDir, path)
	return err == nil && r.Yes
}

// Exists implements filesys.FileSystem.
func (f *farDisk) Exists(path string) bool {
	r, _, err := f.ask(opExists, path)
	return err == nil && r.Yes
}

// ReadDir implements filesys.FileSystem.
func (f *farDisk) ReadDir(path string) ([]string, error) {
	r, _, err := f.ask(opReadDir, path)
	return r.Names, err
}

// CleanedAbs implements filesys.FileSystem.
func (f *farDisk) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	r, _, err := f.ask(opCleaned, path)
	return filesys.ConfirmedDir(r.Dir), r.Name, err
}

// ReadFile implements filesys.FileSystem.
func (f *farDisk) ReadFile(path string) ([]byte, error) {
	_, text, err := f.ask(opRead, path)
	return text, err
}

// Create implements filesys.FileSystem.
func (*farDisk) Create(string) (filesys.File, error) { return nil, errReadOnly }

// Mkdir implements filesys.FileSystem.
func (*farDisk) Mkdir(string) error { return errReadOnly }

// MkdirAll implements filesys.FileSystem.
func (*farDisk) MkdirAll(string) error { return errReadOnly }

// RemoveAll implements filesys.FileSystem.
func (*farDisk) RemoveAll(string) error { return errReadOnly }

// WriteFile implements filesys.FileSystem.
func (*farDisk) WriteFile(string, []byte) error { return errReadOnly }

// Open implements filesys.FileSystem.
func (*farDisk) Open(string) (filesys.File, error) { return nil, errReadOnly }

// Glob implements filesys.FileSystem.
func (*farDisk) Glob(string) ([]string, error) { return nil, nil }

// Walk implements filesys.FileSystem.
func (*farDisk) Walk(string, filepath.WalkFunc) error { return fs.ErrPermission }
