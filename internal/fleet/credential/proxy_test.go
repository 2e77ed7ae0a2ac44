package credential

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/transport"

	"github.com/causeway-gitops/causeway/test/await"
)

// tunnel is a proxy that connects to one server whatever it is asked for, and
// keeps what it was asked with.
func tunnel(t *testing.T, to string) (*url.URL, *atomic.Pointer[http.Request]) {
	t.Helper()
	var asked atomic.Pointer[http.Request]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r)
		server, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = server.Close() }()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(server, conn) }()
		_, _ = io.Copy(conn, server)
	}))
	t.Cleanup(s.Close)
	address, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return address, &asked
}

// TestThroughProxy reaches a server by a name that the proxy alone knows; the
// credential that was got is for the server, and no proxy sees it.
func TestThroughProxy(t *testing.T) {
	s, requests := apiServer(t, func(token string) bool { return token == "1" })
	proxy, asked := tunnel(t, s.Listener.Addr().String())
	source := &script{give: func(int) (Credential, error) { return Credential{Token: "1"}, nil }}
	rt, err := NewTransport(Options{TLS: transport.TLSConfig{Insecure: true}, Source: source, Proxy: http.ProxyURL(proxy)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rt.CloseIdleConnections)
	answer, err := (&http.Client{Transport: rt, Timeout: await.Limit}).Get("https://spoke.test/version")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK || requests.Load() != 1 {
		t.Errorf("the server answers %s after %d requests; want 200 after 1", answer.Status, requests.Load())
	}
	if r := asked.Load(); r == nil || r.Method != http.MethodConnect || r.Host != "spoke.test:443" || r.Header.Get("Authorization") != "" {
		t.Errorf("the proxy was asked %+v; want a tunnel to spoke.test:443 and no credential", r)
	}
}
