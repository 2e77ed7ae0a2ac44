package engine

import (
	"context"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// state is what one render has used so far. The functions of a set of
// templates are bound to one, which serves one render after another.
type state struct {
	limits Limits
	ctx    context.Context //nolint:containedctx // functions of templates get no context

	steps, look                 int64
	produced, output, held      int64
	keys, depth, copies, nested int
	last                        []byte // the marker passed last
	names                       map[string]int
	buffers                     [][]byte
	patterns                    map[string]*bounded.Expression
	sizes                       int // of patterns together
	parsed                      *parsed
	recording                   *writer
}

func newState(p *parsed) *state {
	return &state{parsed: p, names: map[string]int{}, patterns: map[string]*bounded.Expression{}}
}

// begin makes the state ready for a render.
func (s *state) begin(ctx context.Context, l Limits) {
	s.ctx, s.limits = ctx, l
	s.steps, s.look, s.produced, s.output, s.keys, s.depth, s.copies, s.nested, s.held = 0, 0, 0, 0, 0, 0, 0, 0, 0
	s.last = nil
	clear(s.names)
}

func (s *state) end() {
	s.ctx, s.last, s.recording = nil, nil, nil
	if s.sizes > keptPatterns {
		clear(s.patterns)
		s.sizes = 0
	}
}

// glance is the number of steps between two looks at the context.
const glance = 64

// step counts work and stops a render that is over.
func (s *state) step(n int64) error {
	s.steps += n
	if s.steps < s.look {
		return nil
	}
	s.look = s.steps + glance
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.steps > s.limits.Steps {
		return &limitError{fmt.Sprintf("the templates take more than %d steps", s.limits.Steps)}
	}
	return nil
}

// work counts the bytes that a function looks at.
func (s *state) work(bytes int) error { return s.step(int64(bytes)/256 + 1) }

// produce counts bytes that a function gives or keeps.
func (s *state) produce(bytes int64) error {
	if err := s.fits(bytes); err != nil {
		return err
	}
	if err := s.keep(bytes); err != nil {
		return err
	}
	return s.step(bytes/256 + 1)
}

// keep takes up bytes that no function looks at one by one.
func (s *state) keep(bytes int64) error {
	if s.produced += bytes; s.produced > s.limits.Produced {
		return &limitError{fmt.Sprintf("the templates make more than %d MiB of text and lists", s.limits.Produced>>20)}
	}
	return nil
}

// fits reports whether a value may be made at all.
func (s *state) fits(bytes int64) error {
	if bytes > s.limits.Text || bytes < 0 {
		return &limitError{fmt.Sprintf("a text or list would become larger than %d MiB", s.limits.Text>>20)}
	}
	return nil
}

// made counts a text that a function gives.
func (s *state) made(text string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return text, s.produce(int64(len(text)))
}

// hold takes up bytes of memory until drop gives them back.
func (s *state) hold(bytes int64) error {
	if s.held += bytes; s.held > maxHeld {
		return &limitError{fmt.Sprintf("texts given to tpl inside one another take more than %d MiB as templates", maxHeld>>20)}
	}
	return nil
}

func (s *state) drop(to int64) { s.held = to }

// key counts a use of costly cryptography.
func (s *state) key() error {
	if s.keys++; s.keys > s.limits.Keys {
		return &limitError{fmt.Sprintf("the templates make more than %d keys, certificates or password hashes", s.limits.Keys)}
	}
	return s.step(glance)
}

// buffer lends an empty buffer; release takes it back.
func (s *state) buffer() []byte {
	if n := len(s.buffers); n > 0 {
		b := s.buffers[n-1]
		s.buffers = s.buffers[:n-1]
		return b
	}
	return make([]byte, 0, 1024)
}

// maxBuffer bounds the buffers that are kept for the next use.
const (
	maxBuffer  = 256 << 10
	maxBuffers = 16
)

func (s *state) release(b []byte) {
	if cap(b) <= maxBuffer && len(s.buffers) < maxBuffers {
		s.buffers = append(s.buffers, b[:0])
	}
}
