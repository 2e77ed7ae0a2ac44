package bounded

import (
	"io"
	"net/http"
)

// Body reads at most so many bytes of an answer, and returns over for one that
// goes on. They are counted as they are read: what is compressed is counted
// unpacked by whoever wraps the body that unpacks it.
func Body(from io.ReadCloser, most int64, over error) io.ReadCloser {
	return &body{from, most, over}
}

type body struct {
	io.ReadCloser

	left int64 // below zero: there is more
	over error
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.over
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.over
	}
	return n, err
}

// Transport bounds the answers of servers that are asked for small things.
type Transport struct {
	Next http.RoundTripper
	Most int64 // bytes of an answer
}

// RoundTrip implements http.RoundTripper. Reading an answer with more is TooLong.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := t.Next.RoundTrip(r)
	if err == nil && got.Body != nil {
		got.Body = Body(got.Body, t.Most, &TooLong{"the answer of " + r.URL.Host, t.Most})
	}
	return got, err
}
