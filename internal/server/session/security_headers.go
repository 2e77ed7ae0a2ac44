package session

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// yearOfTLS is how long a browser that came by TLS comes by nothing else.
const yearOfTLS = "max-age=31536000"

// writeTime is how long a client may take to read an answer, or to have a stream begin.
const writeTime = time.Minute

// readTime is how long a client may take to send what belongs to a request: it
// is waited for before anybody knows who sends it.
const readTime = 30 * time.Second

// Harden sets what holds for all answers of an API: they are never a page, and
// belong to one person.
func Harden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Vary", "Cookie, Authorization, Accept-Encoding")
		if secure(r) {
			h.Set("Strict-Transport-Security", yearOfTLS)
		}
		next.ServeHTTP(w, r)
	})
}

// InTime ends who sends a request, or reads its answer, too slowly. Once a
// stream has begun it bounds each of its writes itself: who is refused one is
// answered as everybody is.
func InTime(next http.Handler) http.Handler {
	return within(next, readTime, writeTime)
}

func within(next http.Handler, reading, writing time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			_ = control.SetReadDeadline(time.Now().Add(reading)) // a recorder has none
			r.Body = &timed{r.Body, control}
		}
		_ = control.SetWriteDeadline(time.Now().Add(writing))
		next.ServeHTTP(w, r)
	})
}

// timed is a body that has to come in time. After its end there is no limit:
// the server goes on reading to see whether the client is there.
type timed struct {
	io.ReadCloser

	control *http.ResponseController
}

// Read implements io.Reader.
func (b *timed) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
