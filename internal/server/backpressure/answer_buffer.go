package backpressure

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// small is how much of an answer is kept back, in bytes: net/http would keep it
// as well, and write it when the handler is done, when nobody could be cut off.
const small = 4 << 10

// lastTime is how long the rest of an answer may wait to be read that has no
// other bound when its handler is done.
const lastTime = 30 * time.Second

// out is an answer on its way. A small one has its length, as net/http gives it.
type out struct {
	http.ResponseWriter

	to *http.Request
	// lasts gives back what the request holds.
	lasts func()

	code int
	kept []byte
	// begun tells that the answer goes out as it comes, hijacked that somebody else writes it.
	begun, hijacked bool

	mu sync.Mutex
	// over tells that it was cut off, which no later deadline takes back.
	over  bool
	until time.Time
}

func newOut(w http.ResponseWriter, to *http.Request) *out { return &out{ResponseWriter: w, to: to} }

// Lasts notes that an answer goes on and on, and that its writer bounds each
// part: from now on it holds only what Hold is told.
func Lasts(w http.ResponseWriter) {
	for {
		if o, ok := w.(*out); ok {
			o.lasts()
			return
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = inner.Unwrap()
	}
}

// WriteHeader implements http.ResponseWriter.
func (o *out) WriteHeader(code int) {
	switch {
	case code < http.StatusOK, o.begun:
		o.ResponseWriter.WriteHeader(code)
	case o.code == 0:
		o.code = code
	}
}

// Write implements io.Writer.
func (o *out) Write(p []byte) (int, error) {
	if !o.begun && len(o.kept)+len(p) <= small {
		o.WriteHeader(http.StatusOK)
		o.kept = append(o.kept, p...)
		return len(p), nil
	}
	if err := o.begin(); err != nil {
		return 0, err
	}
	return o.ResponseWriter.Write(p)
}

// begin sends what was kept back.
func (o *out) begin() error {
	if o.begun {
		return nil
	}
	o.begun = true
	if o.code != 0 {
		o.ResponseWriter.WriteHeader(o.code)
	}
	kept := o.kept
	o.kept = nil
	if len(kept) == 0 || !hasBody(o.code) {
		return nil
	}
	_, err := o.ResponseWriter.Write(kept) //nolint:gosec // what a handler wrote, as it wrote it
	return err
}

// Flush implements http.Flusher.
func (o *out) Flush() { _ = o.FlushError() }

// FlushError is for http.ResponseController.
func (o *out) FlushError() error {
	if err := o.begin(); err != nil {
		return err
	}
	return http.NewResponseController(o.ResponseWriter).Flush()
}

// Hijack is for http.ResponseController.
func (o *out) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(o.ResponseWriter).Hijack()
	if err == nil {
		o.hijacked = true
		o.lasts()
	}
	return conn, buffer, err
}

// SetWriteDeadline is for http.ResponseController.
func (o *out) SetWriteDeadline(at time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return os.ErrDeadlineExceeded
	}
	o.until = at
	return http.NewResponseController(o.ResponseWriter).SetWriteDeadline(at)
}

// Unwrap is for http.ResponseController.
func (o *out) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// cut ends all that is written.
func (o *out) cut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	_ = http.NewResponseController(o.ResponseWriter).SetWriteDeadline(time.Unix(1, 0)) // a recorder has none
}

// finish writes what is left, and waits until it is on its way.
func (o *out) finish() {
	if o.hijacked {
		return
	}
	if !o.begun && !o.measure() && o.to.ProtoMajor == 2 {
		_ = o.begin() // one frame, that waits for no window: flushed it would be two
		return
	}
	o.mu.Lock()
	unbounded := o.until.IsZero()
	o.mu.Unlock()
	if unbounded {
		_ = o.SetWriteDeadline(time.Now().Add(lastTime)) // a recorder has none
	}
	_ = o.FlushError() // after an error the client has gone
}

// measure gives an answer that is whole its length, and reports whether it has
// something that waits for its reader.
func (o *out) measure() (waits bool) {
	if !hasBody(o.code) || o.to.Method == http.MethodHead && len(o.kept) == 0 {
		return false
	}
	h := o.Header()
	if h["Content-Length"] == nil && h["Transfer-Encoding"] == nil {
		h.Set("Content-Length", strconv.Itoa(len(o.kept)))
	}
	return len(o.kept) > 0
}

// hasBody reports whether an answer of a code may have one; 0 is that of none yet.
func hasBody(code int) bool {
	return code != http.StatusNoContent && code != http.StatusNotModified
}
