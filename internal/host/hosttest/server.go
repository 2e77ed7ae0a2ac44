package hosttest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Server answers requests by "METHOD /path" (see http.ServeMux) and fails the
// first ones on demand.
type Server struct {
	URL string

	mux *http.ServeMux
	mu  sync.Mutex
	// faults are answers given before all others, each once.
	faults []http.HandlerFunc
	asked  []string
	check  func(*http.Request) bool
}

// NewServer starts a server that ends with the test.
func NewServer(t *testing.T) *Server {
	t.Helper()
	s := &Server{mux: http.NewServeMux()}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	var fault http.HandlerFunc
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	check := s.check
	s.mu.Unlock()
	switch {
	case fault != nil:
		fault(w, r)
	case check != nil && !check(r):
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"message":"Bad credentials"}`)
	default:
		s.mux.ServeHTTP(w, r)
	}
}

// Handle answers a pattern.
func (s *Server) Handle(pattern string, h http.HandlerFunc) { s.mux.HandleFunc(pattern, h) }

// JSON answers a pattern with a text. URL in the text stands for the
// server's own address.
func (s *Server) JSON(pattern, body string) {
	s.Handle(pattern, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, strings.ReplaceAll(body, "$URL", s.URL))
	})
}

// Fail gives answers before all others, each once.
func (s *Server) Fail(answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, answers...)
}

// Require lets only requests pass that hold a header's value; others get 401.
func (s *Server) Require(header, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.check = func(r *http.Request) bool { return r.Header.Get(header) == value }
}

// Asked are the requests until now: "METHOD /path?query".
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// Answer is a handler with a status, a body and headers (name, value, …).
func Answer(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, body)
	}
}

// HangUp ends the connection without an answer.
func HangUp(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
