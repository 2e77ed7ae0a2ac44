package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// errMissing says that a store lacks an object which it should have.
var errMissing = errors.New("the object is missing")

// errNoReader says that the store could not be asked at all.
var errNoReader = errors.New("cannot read the local copy")

// tooLarge says that an object is over the limit.
type tooLarge struct{ size, limit int64 }

func (e *tooLarge) Error() string {
	return fmt.Sprintf("%d MiB are more than the limit of %d MiB", e.size>>20, e.limit>>20)
}

// objects reads a bare repository through git cat-file processes that stay:
// git itself notices new packs, checks what it reads and holds no more in
// memory than it needs. A process is started by the first read and ended
// when it was idle for a while.
type objects struct {
	command *Command
	dir     string

	mu     sync.Mutex
	idle   map[string][]*reader // by mode
	closed bool
	// retired keeps no process between reads.
	retired bool
}

// The modes of cat-file: the whole object, or its kind and size only.
const (
	whole  = "--batch"
	header = "--batch-check"
)

// spare is how many idle processes a mode keeps.
const spare = 2

type reader struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	used time.Time
}

func (o *objects) take(mode string) (*reader, error) {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil, fmt.Errorf("%w: it is closed", errNoReader)
	}
	if free := o.idle[mode]; len(free) > 0 {
		r := free[len(free)-1]
		o.idle[mode] = free[:len(free)-1]
		o.mu.Unlock()
		return r, nil
	}
	o.mu.Unlock()
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
	return &reader{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

func (o *objects) give(mode string, r *reader) {
	r.used = time.Now()
	o.mu.Lock()
	keep := !o.closed && !o.retired && len(o.idle[mode]) < spare
	if keep {
		if o.idle == nil {
			o.idle = map[string][]*reader{}
		}
		o.idle[mode] = append(o.idle[mode], r)
	}
	o.mu.Unlock()
	if !keep {
		r.end()
	}
}

func (r *reader) end() {
	_ = r.in.Close()
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait() // its exit code says nothing: it was killed
}

// rest ends processes that nobody used since a time.
func (o *objects) rest(since time.Time) {
	var old []*reader
	o.mu.Lock()
	for mode, free := range o.idle {
		var keep []*reader
		for _, r := range free {
			if r.used.Before(since) {
				old = append(old, r)
				continue
			}
			keep = append(keep, r)
		}
		o.idle[mode] = keep
	}
	o.mu.Unlock()
	for _, r := range old {
		r.end()
	}
}

func (o *objects) retire() {
	o.mu.Lock()
	o.retired = true
	o.mu.Unlock()
	o.rest(time.Now().Add(time.Hour))
}

func (o *objects) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.rest(time.Now().Add(time.Hour))
}

// size returns an object's kind and size.
func (o *objects) size(hash string) (kind string, size int64, err error) {
	r, err := o.take(header)
	if err != nil {
		return "", 0, err
	}
	kind, size, err = r.ask(hash)
	if err != nil && !errors.Is(err, errMissing) {
		r.end()
		return "", 0, err
	}
	o.give(header, r)
	return kind, size, err
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
		o.give(whole, r)
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
	o.give(whole, r)
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
