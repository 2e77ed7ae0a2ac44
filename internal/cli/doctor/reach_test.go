package doctor

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/rows"
)

// TestHostsHaveAPort: the usual one where none is written, also those that are IP addresses.
func TestHostsHaveAPort(t *testing.T) {
	for host, want := range map[string]string{
		"git.example.com": "git.example.com:22", "git.example.com:2222": "git.example.com:2222", "127.0.0.1": "127.0.0.1:22",
		"[::1]": "[::1]:22", "[2001:db8::1]:2222": "[2001:db8::1]:2222",
	} {
		if got := endpoint(host, "22"); got != want {
			t.Errorf("%s is asked at %s, want %s", host, got, want)
		}
	}
}

// TestAnyAnswerTellsThatAHostIsThere: what is behind it, and by what it is trusted, is for the engine to find.
func TestAnyAnswerTellsThatAHostIsThere(t *testing.T) {
	elsewhere := http.RedirectHandler("http://127.0.0.1:1/login", http.StatusFound)
	away, open, strange := httptest.NewServer(elsewhere), httptest.NewServer(http.NotFoundHandler()), httptest.NewUnstartedServer(http.NotFoundHandler())
	strange.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes
	strange.StartTLS()
	for _, s := range []*httptest.Server{away, open, strange} {
		t.Cleanup(s.Close)
	}
	of := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	cases := map[string]struct{ reason, url, state, detail string }{
		"redirect":    {"where browsers are sent to sign in is of no interest", away.URL + "/shop", fine, "its host answers"},
		"registry":    {"one may be spoken to in the clear", "oci://" + of(open) + "/charts", fine, "its host answers"},
		"bare":        {"also without a scheme", of(open) + "/charts", fine, "its host answers"},
		"not by TLS":  {"a repository that is asked by TLS is another matter", "https://" + of(open) + "/shop", fail, "server gave HTTP response"},
		"certificate": {"the engine has certificates that this machine has not", strange.URL + "/shop", warn, "this machine does not trust its certificate: x509:"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := checkRepository(t.Context(), &rows.Repository{URL: c.url})
			if got.State != c.state || !strings.Contains(got.Detail, c.detail) || (got.Fix == "") != (c.state == fine) {
				t.Errorf("%s: %+v", c.reason, got)
			}
		})
	}
}
