package kustomize

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// serve builds what is ordered until the input ends.
func serve(c *worker.Conn) error {
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
		return &result{Error: brief(err.Error())}, nil
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

// maxError bounds what is said of an error, of which people are shown less: the
// library writes a line for each pair of the same key.
const maxError = 64 << 10

func brief(text string) string { return gitops.First(text, maxError) }

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
