package backpressure

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/causeway-gitops/causeway/test/await"
)

// Small answers that nobody reads are on the account as well, with the headers
// of who asked, until they are read: net/http alone would keep each of them after
// its handler was done, for as long as there is a connection.
func TestSmallAnswersAreCutOffByTLS(t *testing.T) {
	const asked, fit, padding = 100, 10, 40 << 10
	const most = fit * (request + padding + 1<<10)
	a, over := New(share(2*most, most), nil), make(chan bool, asked)
	h := a.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "nobody is signed in")
	}))
	conn := unreading(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { over <- true }()
		h.ServeHTTP(w, r)
	}))
	for range asked {
		conn.ask(t, padding)
	}
	conn.cut(t, asked-fit)
	for range asked - fit {
		<-over
	}
	a.mu.Lock()
	held := a.holders.Held()
	a.mu.Unlock()
	if held > most || held < request+padding {
		t.Errorf("%d bytes are held", held)
	}
	_ = conn.Close()
	for range fit {
		<-over
	}
}

// unreader is a client of HTTP/2 that reads nothing of what it is answered.
type unreader struct {
	*tls.Conn

	framer *http2.Framer
	next   uint32
}

func unreading(t *testing.T, h http.Handler) *unreader {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	trust := s.Client().Transport.(*http.Transport).TLSClientConfig.Clone() //nolint:forcetypeassert // httptest's own
	trust.NextProtos = []string{"h2"}
	conn, err := (&tls.Dialer{NetDialer: &net.Dialer{}, Config: trust}).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	u := &unreader{Conn: conn.(*tls.Conn), framer: http2.NewFramer(conn, conn), next: 1} //nolint:forcetypeassert // what a tls.Dialer makes
	t.Cleanup(func() { _ = u.Close() })
	if err := conn.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	if err := u.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
		t.Fatal(err)
	}
	return u
}

// ask sends a request with a header of so many bytes.
func (u *unreader) ask(t *testing.T, padding int) {
	t.Helper()
	var block bytes.Buffer
	to := hpack.NewEncoder(&block)
	for _, f := range []hpack.HeaderField{
		{Name: ":method", Value: http.MethodGet},
		{Name: ":scheme", Value: "https"},
		{Name: ":authority", Value: "causeway.example.com"},
		{Name: ":path", Value: "/api/v1/events"},
		{Name: "x-padding", Value: strings.Repeat("x", padding), Sensitive: true},
	} {
		if err := to.WriteField(f); err != nil {
			t.Fatal(err)
		}
	}
	const most = 16 << 10 // a frame
	text := block.Bytes()
	first := text[:min(most, len(text))]
	err := u.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: u.next, BlockFragment: first, EndStream: true, EndHeaders: len(first) == len(text)})
	for text = text[len(first):]; err == nil && len(text) > 0; {
		part := text[:min(most, len(text))]
		text = text[len(part):]
		err = u.framer.WriteContinuation(u.next, len(text) == 0, part)
	}
	if err != nil {
		t.Fatal(err)
	}
	u.next += 2
}

// cut waits until so many answers were cut off.
func (u *unreader) cut(t *testing.T, want int) {
	t.Helper()
	for got := 0; got < want; {
		f, err := u.framer.ReadFrame()
		if err != nil {
			t.Fatalf("%d of %d answers were cut off: %v", got, want, err)
		}
		if reset, ok := f.(*http2.RSTStreamFrame); ok && reset.ErrCode == http2.ErrCodeInternal {
			got++
		}
	}
}

// What was cut off stays so, whatever deadline is set later, as streams do.
func TestCutAnswersStayCut(t *testing.T) {
	w := &wire{httptest.NewRecorder(), make(chan struct{})}
	o := newOut(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if err := o.SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	o.cut()
	<-w.cut
	if err := o.SetWriteDeadline(time.Now().Add(time.Hour)); err == nil {
		t.Error("it has a deadline again")
	}
}

// Small answers have the length that net/http would give them, and no other
// answer has one.
func TestAnswersKeepTheirForm(t *testing.T) {
	for name, c := range map[string]struct {
		reason, method string
		answer         func(w http.ResponseWriter)
		code           int
		length         int64 // -1 where it is not said
		body           int
	}{
		"Small":    {"it is whole", http.MethodGet, writes(http.StatusUnauthorized, 10), http.StatusUnauthorized, 10, 10},
		"Nothing":  {"it is whole as well", http.MethodGet, func(http.ResponseWriter) {}, http.StatusOK, 0, 0},
		"Large":    {"it goes out as it comes", http.MethodGet, writes(http.StatusOK, small, 1), http.StatusOK, -1, small + 1},
		"Flushed":  {"more may come", http.MethodGet, func(w http.ResponseWriter) { writes(http.StatusOK, 1)(w); _ = http.NewResponseController(w).Flush() }, http.StatusOK, -1, 1},
		"Head":     {"the length of what would have come", http.MethodHead, writes(http.StatusOK, 10), http.StatusOK, 10, 0},
		"HeadOnly": {"nobody knows", http.MethodHead, writes(http.StatusOK), http.StatusOK, -1, 0},
		"NoBody":   {"none may come", http.MethodGet, writes(http.StatusNoContent), http.StatusNoContent, 0, 0},
		"Known":    {"the client has it", http.MethodGet, writes(http.StatusNotModified), http.StatusNotModified, 0, 0},
	} {
		for version, major := range map[string]int{"HTTP1": 1, "HTTP2": 2} {
			t.Run(name+version, func(t *testing.T) {
				h := New(share(1<<20, 1<<20), nil).Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) }))
				s := httptest.NewUnstartedServer(h)
				s.EnableHTTP2 = major == 2
				s.StartTLS()
				defer s.Close()
				r, err := http.NewRequestWithContext(t.Context(), c.method, s.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept-Encoding", "identity")
				answer, err := s.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = answer.Body.Close() }()
				body, err := io.ReadAll(answer.Body)
				if err != nil || answer.StatusCode != c.code || len(body) != c.body || answer.ContentLength != c.length || answer.ProtoMajor != major {
					t.Errorf("%s: HTTP/%d answers %d, says %d bytes, and has %d: %v", c.reason, answer.ProtoMajor, answer.StatusCode, answer.ContentLength, len(body), err)
				}
			})
		}
	}
}

// writes answers with so many bytes at a time.
func writes(code int, parts ...int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(code)
		for _, n := range parts {
			_, _ = w.Write(make([]byte, n))
		}
	}
}

// An answer that nobody reads ends in time by HTTP/2 as well.
func TestSmallAnswersEndInTimeByTLS(t *testing.T) {
	const asked = 100
	over := make(chan bool, asked)
	h := New(share(1<<30, 1<<30), nil).Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
		_, _ = io.WriteString(w, "nobody is signed in")
	}))
	conn := unreading(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { over <- true }()
		h.ServeHTTP(w, r)
	}))
	for range asked {
		conn.ask(t, 1)
	}
	conn.cut(t, asked)
	for range asked {
		<-over
	}
}
