package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// errMissing says that a store lacks an object which it should have.
var errMissing = errors.New("the object is missing")

// errNoReader says that the store could not be asked at all.
var errNoReader = errors.New("cannot read the local copy")

// objects reads a bare repository through git cat-file processes that stay:
// git itself notices new packs, checks what it reads and holds no more in
// memory than it needs. A process is started by the first read and ended
// when it was idle for a while, see idle.
type objects struct {
	command *Command
	dir     string

	// closed and retired, which keeps no process between reads, are guarded by the
	// mutex of idle.
	closed, retired bool
}

// The modes of cat-file: the whole object, or its kind and size only.
const (
	whole  = "--batch"
	header = "--batch-check"
)

type reader struct {
	of   *objects
	mode string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	used time.Time
}

func (o *objects) take(mode string) (*reader, error) {
	r, closed := o.command.idle.take(o, mode)
	switch {
	case closed:
		return nil, fmt.Errorf("%w: it is closed", errNoReader)
	case r != nil:
		return r, nil
	}
	return o.start(mode)
}

func (o *objects) start(mode string) (*reader, error) {
	cmd := exec.Command("git", "--git-dir="+o.dir, "cat-file", mode) //nolint:noctx // it outlives the request that starts it; Close ends it
	cmd.Dir, cmd.Env = o.command.home, o.command.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("%w: cannot start git: %w", errNoReader, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("%w: cannot start git: %w", errNoReader, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: cannot start git: %w", errNoReader, err)
	}
	return &reader{of: o, mode: mode, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

func (r *reader) give() {
	r.used = time.Now()
	if over := r.of.command.idle.keep(r); over != nil {
		over.end()
	}
}

func (r *reader) end() {
	_ = r.in.Close()
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait() // its exit code says nothing: it was killed
}

// rest ends processes that nobody used since a time.
func (o *objects) rest(since time.Time) {
	for _, r := range o.command.idle.rested(o, since) {
		r.end()
	}
}

func (o *objects) retire() {
	o.command.idle.retire(o)
	o.rest(time.Now().Add(time.Hour))
}

func (o *objects) close() {
	o.command.idle.close(o)
	o.rest(time.Now().Add(time.Hour))
}

// read returns an object's kind and content, unless it is over the limit.
func (o *objects) read(hash string, limit int64) (kind string, data []byte, err error) {
	r, err := o.take(whole)
	if err != nil {
		return "", nil, err
	}
	kind, size, err := r.ask(hash)
	switch {
	case errors.Is(err, errMissing):
		r.give()
		return "", nil, err
	case err != nil:
		r.end()
		return "", nil, err
	case size > limit:
		// The content is on its way already; ending the process is cheaper
		// than reading it.
		r.end()
		return kind, nil, &tooLarge{size, limit}
	}
	data = make([]byte, size)
	if _, err = io.ReadFull(r.out, data); err == nil {
		_, err = r.out.Discard(1)
	}
	if err != nil {
		r.end()
		return "", nil, fmt.Errorf("git stopped in the middle of object %s: %w", hash, err)
	}
	r.give()
	return kind, data, nil
}

func (r *reader) ask(hash string) (kind string, size int64, err error) {
	if _, err := io.WriteString(r.in, hash+"\n"); err != nil {
		return "", 0, fmt.Errorf("cannot ask git for object %s: %w", hash, err)
	}
	answer, err := r.out.ReadString('\n')
	if err != nil {
		return "", 0, fmt.Errorf("git does not answer about object %s: %w", hash, err)
	}
	words := strings.Fields(answer)
	if len(words) == 2 && (words[1] == "missing" || words[1] == "ambiguous") {
		return "", 0, errMissing
	}
	if len(words) != 3 {
		return "", 0, fmt.Errorf("git gave an unknown answer about object %s", hash)
	}
	size, err = strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return "", 0, fmt.Errorf("git gave an unknown answer about object %s: %w", hash, err)
	}
	return words[1], size, nil
}
