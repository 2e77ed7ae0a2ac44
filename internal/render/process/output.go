package process

import (
	"bytes"
	"strings"
	"sync"
)

// bounded keeps the output up to a limit and tells when there is more.
type bounded struct {
	limit int64
	full  func()

	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer. It never fails: a command that is about to be
// killed need not hear of a broken pipe.
func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if int64(b.buf.Len())+int64(len(p)) > b.limit {
		b.full()
		return len(p), nil
	}
	return b.buf.Write(p)
}

// Bytes returns what was kept.
func (b *bounded) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Bytes()
}

// Tail keeps the end of an output: that is where the reason stands. It is
// safe for concurrent use.
type Tail struct {
	limit int

	mu  sync.Mutex
	buf []byte
	cut bool
}

// NewTail keeps so many bytes.
func NewTail(limit int) *Tail { return &Tail{limit: limit} }

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > t.limit {
		p, t.cut = p[len(p)-t.limit:], true
	}
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	return n, nil
}

// String is what was kept, as text; a mark stands for what was cut.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.buf), "?"))
	if t.cut {
		return "… " + text
	}
	return text
}
