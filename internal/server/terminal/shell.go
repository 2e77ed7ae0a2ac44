package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Shell is a program in a container.
type Shell interface {
	// Run runs it until it ends, or ctx does. The error is an Exit where it
	// ended by itself with another code than 0.
	Run(ctx context.Context, with Streams) error
	// Check tells why there is nothing to go on with: an error that wraps ErrGone
	// where the container is no longer there, ErrUnsure where nobody can be asked.
	Check(ctx context.Context) error
}

// Streams are the ends of a terminal.
type Streams struct {
	In    *Input
	Out   io.Writer
	Sizes *Sizes
	// Opened is told which shell there is.
	Opened func(shell string)
}

var (
	// ErrGone is that a container is no longer there.
	ErrGone = errors.New("the container is gone")
	// ErrUnsure is that something could not be asked, which may be over in a moment.
	ErrUnsure = errors.New("nobody could be asked")
)

// Exit is the code of a program that ended by itself.
type Exit struct{ Code int }

// Error implements error.
func (e *Exit) Error() string { return fmt.Sprintf("it exited with code %d", e.Code) }

// Input is what is typed. Whoever reads it may stop, and another one goes on.
type Input struct {
	chunks chan []byte
	mu     sync.Mutex
	rest   []byte
}

// NewInput makes one that waits for its reader.
func NewInput() *Input { return &Input{chunks: make(chan []byte)} }

// put hands bytes to who reads.
func (i *Input) put(ctx context.Context, chunk []byte) error {
	select {
	case i.chunks <- chunk:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Reader reads until ctx ends, as an end of the input.
func (i *Input) Reader(ctx context.Context) io.Reader { return &reading{ctx: ctx, of: i} }

type reading struct {
	ctx context.Context //nolint:containedctx // the life of one who reads: io.Reader has no place for it
	of  *Input
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, io.EOF
	}
	if n := r.of.left(p); n > 0 {
		return n, nil
	}
	select {
	case <-r.ctx.Done():
		return 0, io.EOF
	case chunk := <-r.of.chunks:
		n := copy(p, chunk)
		r.of.keep(chunk[n:])
		return n, nil
	}
}

func (i *Input) left(p []byte) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n
}

func (i *Input) keep(rest []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.rest = rest
}

// Size is what a terminal shows at a time, in characters.
type Size struct {
	Cols uint16 `json:"cols"`
	Rows uint16 `json:"rows"`
}

// Sizes is the size of a terminal, as it changes. Of many changes the last
// counts.
type Sizes struct {
	mu      sync.Mutex
	size    Size
	version int
	changed chan struct{}
}

// NewSizes begins with a size; none where it is empty.
func NewSizes(first Size) *Sizes {
	s := &Sizes{changed: make(chan struct{})}
	s.Put(first)
	return s
}

// MaxSize bounds both extents of a terminal: programs keep what it shows in
// their memory.
const MaxSize = 1000

// Put changes the size, to MaxSize at most. One without an extent changes
// nothing.
func (s *Sizes) Put(size Size) {
	if size.Cols == 0 || size.Rows == 0 {
		return
	}
	size = Size{Cols: min(size.Cols, MaxSize), Rows: min(size.Rows, MaxSize)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = size
	s.version++
	close(s.changed)
	s.changed = make(chan struct{})
}

// Next waits for a size after the one of a version, which begin at 0. Not ok
// where ctx has ended.
func (s *Sizes) Next(ctx context.Context, after int) (size Size, version int, ok bool) {
	for {
		s.mu.Lock()
		size, version, changed := s.size, s.version, s.changed
		s.mu.Unlock()
		if ctx.Err() != nil {
			return size, version, false
		}
		if version > after {
			return size, version, true
		}
		select {
		case <-ctx.Done():
			return size, version, false
		case <-changed:
		}
	}
}
