package backpressure

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Over TLS, too, an answer that is cut off has its handler go on, and takes with
// it no other of its connection: those that fit the account come whole.
func TestUnreadAnswersAreCutOffByTLS(t *testing.T) {
	const size, fit, asked = 16 << 20, 2, 6 // more than what both ends of a connection buffer
	for name, c := range map[string]struct {
		reason string
		major  int
	}{
		"HTTP1": {"each answer has its connection", 1},
		"HTTP2": {"all answers have one", 2},
	} {
		t.Run(name, func(t *testing.T) {
			text := make([]byte, size)
			a, ends, over := New(share(fit*size+asked*2*request, fit*size+asked*2*request), nil), make(chan error, asked), make(chan bool, asked)
			h := a.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer Hold(r.Context(), size)()
				_, err := w.Write(text)
				ends <- err
			}))
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() { over <- true }()
				h.ServeHTTP(w, r)
			}))
			s.EnableHTTP2 = c.major == 2
			s.StartTLS()
			defer s.Close()
			var answers []func() (read int64, major int, err error)
			for range asked {
				answers = append(answers, ask(t, s))
			}
			for range asked - fit {
				if err := <-ends; err == nil {
					t.Errorf("%s: what nobody reads was written", c.reason)
				}
			}
			for n, all := range answers {
				read, major, err := all()
				if whole := read == size && err == nil; whole != (n >= asked-fit) || major != c.major {
					t.Errorf("%s: of answer %d by HTTP/%d %d bytes came, with %v", c.reason, n, major, read, err)
				}
			}
			for range asked {
				<-over
			}
			if a.holders.Held() != 0 {
				t.Errorf("%s: %d bytes are left", c.reason, a.holders.Held())
			}
		})
	}
}

// ask begins to ask. What comes back reads the answer, and closes it.
func ask(t *testing.T, s *httptest.Server) (read func() (bytes int64, major int, err error)) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Client().Do(r) //nolint:bodyclose // what comes back closes it
	if err != nil {
		t.Fatal(err)
	}
	return func() (int64, int, error) {
		defer func() { _ = answer.Body.Close() }()
		read, err := io.Copy(io.Discard, answer.Body)
		return read, answer.ProtoMajor, err
	}
}
