package client

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/test/nobody"
)

func dial(t *testing.T, s *httptest.Server, adjust ...func(*Options)) *Client {
	t.Helper()
	o := Options{Server: s.URL, Token: "secret-token", Agent: "test"}
	for _, a := range adjust {
		a(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// problem answers with a problem document.
func problem(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text))
}

func TestErrorsAreTheServers(t *testing.T) {
	cases := map[string]struct {
		code       int
		body, want string
	}{
		"problem":  {403, `{"title":"Forbidden","status":403,"detail":"ann may not sync applications shop/web: ask for a line"}`, "ann may not sync applications shop/web: ask for a line"},
		"parts":    {422, `{"title":"Unprocessable Entity","detail":"validation failed","errors":[{"message":"expected number","location":"body.days"}]}`, "validation failed; expected number at body.days"},
		"argo":     {404, `{"error":"x","code":5,"message":"application not found"}`, "application not found"},
		"a proxy":  {502, `<html>bad gateway</html>`, "the server answers 502 Bad Gateway"},
		"no words": {500, `{}`, "the server answers 500 Internal Server Error"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { problem(w, tc.code, tc.body) }))
			defer s.Close()
			_, err := dial(t, s).Session(t.Context())
			if err == nil || err.Error() != tc.want || !Is(err, tc.code) {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

func TestRequestsAreSentAgainWhenAskedTo(t *testing.T) {
	sent, refuse := 0, 2
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent++
		if r.Header.Get("Authorization") != "Bearer secret-token" {
			t.Errorf("it is sent with %q", r.Header.Get("Authorization"))
		}
		if sent <= refuse {
			w.Header().Set("Retry-After", "0")
			problem(w, http.StatusTooManyRequests, `{"detail":"too many tries; wait a little"}`)
			return
		}
		_, _ = w.Write([]byte(`{"id":"mark"}`))
	}))
	defer s.Close()
	c := dial(t, s)
	if mark, err := c.Sync(t.Context(), Key{"argocd", "web"}, &api.Sync{}); err != nil || mark != "mark" || sent != 3 {
		t.Errorf("%q after %d: %v", mark, sent, err)
	}
	sent, refuse = 0, 100
	if _, err := c.Session(t.Context()); !Is(err, http.StatusTooManyRequests) || sent != tries {
		t.Errorf("a server that goes on refusing is asked %d times: %v", sent, err)
	}
}

func TestWaitsHaveABound(t *testing.T) {
	for said, want := range map[string]time.Duration{"": firstWait, "3": 3 * time.Second, "86400": mostWait, "9223372037": mostWait, "-1": firstWait, "soon": firstWait, "Mon, 01 Jan 2001 00:00:00 GMT": 0} {
		if got := later(&http.Response{Header: http.Header{"Retry-After": {said}}}, firstWait); got != want {
			t.Errorf("%q is %s, want %s", said, got, want)
		}
	}
}

func TestNoTokenGoesAstray(t *testing.T) {
	strayed := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another server is sent %v", r.Header) }))
	defer strayed.Close()
	s := httptest.NewServer(http.RedirectHandler(strayed.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	if _, err := dial(t, s).Session(t.Context()); err == nil || !strings.Contains(err.Error(), "sends to") {
		t.Errorf("a redirection: %v", err)
	}
	if _, err := New(Options{Server: "http://causeway.example.com", Token: "x"}); err == nil || !strings.Contains(err.Error(), "in the clear") {
		t.Errorf("a token in the clear: %v", err)
	}
	for _, address := range []string{"", "ftp://x", "https://", "https://ann@x", "https://x?y", "://"} {
		if _, err := Base(address); err == nil {
			t.Errorf("%q is taken for an address", address)
		}
	}
	if base, err := Base("causeway.example.com/"); err != nil || base.String() != "https://causeway.example.com" {
		t.Errorf("a host alone is %v, %v", base, err)
	}
}

func certificateOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func TestCertificatesAreChecked(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	defer s.Close()
	s.Config.ErrorLog = nil
	if _, err := dial(t, s).Session(t.Context()); err == nil || !strings.Contains(err.Error(), "--server-ca") {
		t.Errorf("a certificate of nobody: %v", err)
	}
	if _, err := dial(t, s, func(o *Options) { o.CA = certificateOf(s) }).Session(t.Context()); err != nil {
		t.Errorf("with its authority: %v", err)
	}
	if _, err := dial(t, s, func(o *Options) { o.Unverified = true }).Session(t.Context()); err != nil {
		t.Errorf("with any: %v", err)
	}
	if _, err := New(Options{Server: s.URL, CA: []byte("x")}); err == nil {
		t.Error("anything is taken for certificates")
	}
}

func TestTheAuditIsReadPageByPage(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		if r.URL.Query().Get("before") == "" {
			_, _ = w.Write([]byte(`{"items":[{"sequence":9},{"sequence":8}],"next":8}`))
			return
		}
		_, _ = w.Write([]byte(`{"items":[{"sequence":7}]}`))
	}))
	defer s.Close()
	list, err := dial(t, s).Audit(t.Context(), &store.AuditQuery{Who: "ann", Limit: 10})
	if err != nil || len(list) != 3 || list[2].Sequence != 7 || len(asked) != 2 || asked[1] != "before=8&limit=8&who=ann" {
		t.Errorf("%d entries by %v: %v", len(list), asked, err)
	}
}

func TestAnExportThatIsCutOffIsAnError(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("{\"verb\":\"sync\"}\n"))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	lines := 0
	err := dial(t, s).ExportAudit(t.Context(), &store.AuditQuery{}, func([]byte) error { lines++; return nil })
	if err == nil || lines != 1 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

func TestNobodyIsThere(t *testing.T) {
	s := &httptest.Server{URL: "http://" + nobody.Address(t)}
	c := dial(t, s)
	if _, err := c.Session(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "cannot reach the server "+s.URL) || strings.Contains(err.Error(), "secret-token") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Session(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after ctrl-c: %v", err)
	}
}
