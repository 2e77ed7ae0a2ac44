package serve_test

import (
	"bytes"
	"crypto/tls"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/test/planted"
)

// echo is a host that takes nobody, and says back all that it was sent wherever
// an answer has room for words.
type echo struct {
	t             *testing.T
	bed           *planted.Bed
	plain, secure *httptest.Server
	// certificates are inputs by the client certificates that belong to them.
	certificates map[string]string
}

func newEcho(t *testing.T, bed *planted.Bed) *echo {
	e := &echo{t: t, bed: bed, certificates: map[string]string{}}
	e.plain, e.secure = httptest.NewServer(e), httptest.NewUnstartedServer(e)
	e.secure.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	e.secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	e.secure.StartTLS()
	t.Cleanup(e.plain.Close)
	t.Cleanup(e.secure.Close)
	return e
}

// ServeHTTP implements http.Handler.
func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	said := e.hears(r)
	switch {
	case strings.HasSuffix(r.URL.Path, "/access_tokens"):
		e.gives(w)
	case strings.HasPrefix(r.URL.Path, "/talks/") && r.Header.Get("Authorization") != "":
		e.talks(w, said)
	default:
		e.refuses(w, r, said)
	}
}

// hears is what a request tells that is no one else's business.
func (e *echo) hears(r *http.Request) string {
	sent, err := httputil.DumpRequest(r, true)
	if err != nil {
		e.t.Error(err)
	}
	said := []string{strings.Join(r.Header.Values("Authorization"), " "), strings.Join(r.Header.Values("Proxy-Authorization"), " ")}
	_, password, _ := r.BasicAuth()
	_, behind, _ := (&http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}).BasicAuth()
	said = append(said, password, behind)
	e.bed.Saw(append(sent, strings.Join(said, " ")...))
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		if input := e.certificates[hex.EncodeToString(r.TLS.PeerCertificates[0].Raw)]; input != "" {
			e.bed.Used(input)
		}
	}
	return strings.Join(strings.Fields(strings.Join(said, " ")), " ")
}

// gives is GitHub's answer to an App: a token for a while.
func (e *echo) gives(w http.ResponseWriter) {
	e.bed.Used("repository: GitHub App key")
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"token":%q,"expires_at":"2099-01-01T00:00:00Z"}`, e.bed.Text("repository: token of a GitHub App"))
}

// talks is an answer of Git's own protocol that refuses.
func (*echo) talks(w http.ResponseWriter, said string) {
	w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
	line := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	_, _ = io.WriteString(w, line("# service=git-upload-pack\n")+"0000"+line("ERR you sent "+said+"\n"))
}

// refuses says so in the status, in headers, and in a body as API servers, and
// as registries have it.
func (e *echo) refuses(w http.ResponseWriter, r *http.Request, said string) {
	code := http.StatusUnauthorized
	if r.URL.IsAbs() || r.Method == http.MethodConnect {
		code = http.StatusProxyAuthRequired
	}
	body := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,"code":%d,"error":%q,"errors":[{"code":"UNAUTHORIZED","message":%q}]}`, said, said, code, said, said)
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		e.t.Error("the server does not let go of a connection")
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return // it has gone
	}
	defer func() { _ = conn.Close() }()
	var out bytes.Buffer
	_, _ = fmt.Fprintf(&out, "HTTP/1.1 %d you sent %s\r\nWww-Authenticate: Basic realm=%q\r\nProxy-Authenticate: Basic realm=\"proxy\"\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", code, said, said, len(body), body)
	_, _ = conn.Write(out.Bytes())
}

// ca is the certificate of the secure one, in PEM.
func (e *echo) ca() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: e.secure.Certificate().Raw}))
}
