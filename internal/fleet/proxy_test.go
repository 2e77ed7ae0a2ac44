package fleet

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
)

// logins are credentials that stand in a Secret, and that are got.
var logins = map[string]struct{ reason, login string }{
	"Token":   {"a credential of the Secret", `"bearerToken":"t"`},
	"Program": {"one that is got", `"execProviderConfig":{"command":"echo","args":["{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"t\"}}"],"apiVersion":"client.authentication.k8s.io/v1"}`},
}

// reach asks a cluster for its version as a Secret's config says.
func reach(t *testing.T, host, config string) (*http.Response, error) {
	t.Helper()
	_, cfg, err := Parser{Allow: func() []string { return []string{"echo"} }}.Parse(describing("spoke", map[string]string{"server": "https://" + host, "config": config}))
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+host+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true // proxies wait for their connections to end
	return client.Do(r)
}

// farHost is a cluster's name, which nobody knows but a proxy.
const farHost = "spoke.example.com"

// way is a proxy to the cluster, for who has a password.
type way struct {
	to   string
	used atomic.Int32
}

// ServeHTTP has it lead on as RFC 9110 says of CONNECT.
func (p *way) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}).BasicAuth()
	if r.Method != http.MethodConnect || r.Host != farHost+":443" || password != "hunter2" {
		http.Error(w, "not from here", http.StatusForbidden)
		return
	}
	near, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
	p.carry(near)
}

// socks has it lead on as RFC 1928 and RFC 1929 say.
func (p *way) socks(near net.Conn) error {
	next := func(n int) []byte {
		out := make([]byte, n)
		_, _ = io.ReadFull(near, out) // what is missing is wrong below
		return out
	}
	if hello := next(2); !bytes.Contains(next(int(hello[1])), []byte{2}) {
		return errors.New("nobody signs in")
	}
	_, _ = near.Write([]byte{5, 2})
	name := next(int(next(2)[1]))
	if password := next(int(next(1)[0])); string(name) != "me" || string(password) != "hunter2" {
		return fmt.Errorf("%s signs in with %s", name, password)
	}
	_, _ = near.Write([]byte{1, 0})
	ask := next(5) // version, command, nothing, kind of the address, length of the name
	if host, port := next(int(ask[4])), next(2); ask[3] != 3 || string(host) != farHost || !bytes.Equal(port, []byte{443 >> 8, 443 & 0xff}) {
		return fmt.Errorf("asked for %s of kind %d", host, ask[3])
	}
	_, _ = near.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	p.carry(near)
	return nil
}

// carry ends both ways when one ends.
func (p *way) carry(near net.Conn) {
	defer func() { _ = near.Close() }()
	far, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	p.used.Add(1)
	var both sync.WaitGroup
	for to, from := range map[net.Conn]net.Conn{near: far, far: near} {
		both.Go(func() {
			_, _ = io.Copy(to, from)
			_, _ = to.Close(), from.Close()
		})
	}
	both.Wait()
}

// served is the address of a proxy of HTTP.
func (p *way) served(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return s.URL
}

// servedTLS is the address of one that is spoken to by TLS.
func (p *way) servedTLS(t *testing.T) string {
	t.Helper()
	s := httptest.NewTLSServer(p)
	t.Cleanup(s.Close)
	return s.URL
}

// servedSocks is the address of a proxy of SOCKS.
func (p *way) servedSocks(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				if err := p.socks(near); err != nil {
					t.Error(err)
				}
				_ = near.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return "socks5://" + l.Addr().String()
}

// TestProxies: each kind of proxy that a Secret may name leads to its cluster.
func TestProxies(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" || r.Header.Get("Proxy-Authorization") != "" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
		}
	}))
	t.Cleanup(s.Close)
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	for name, kind := range map[string]struct {
		reason string
		served func(*way, *testing.T) string
	}{
		"HTTP":   {"what most networks have", (*way).served},
		"HTTPS":  {"the password is encrypted on the way to it; its authority is in caData", (*way).servedTLS},
		"SOCKS5": {"what `ssh -D` is; it looks names up itself", (*way).servedSocks},
	} {
		for login, tc := range logins {
			t.Run(name+"/"+login, func(t *testing.T) {
				p := &way{to: s.Listener.Addr().String()}
				proxy := strings.Replace(kind.served(p, t), "://", "://me:hunter2@", 1)
				resp, err := reach(t, farHost, `{`+tc.login+`,"proxyUrl":"`+proxy+`","tlsClientConfig":{"caData":"`+ca+`"}}`)
				if err != nil {
					t.Fatalf("%s; %s: %v", kind.reason, tc.reason, err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusOK || p.used.Load() != 1 {
					t.Errorf("%s; %s: got %s, %d times through the proxy", kind.reason, tc.reason, resp.Status, p.used.Load())
				}
			})
		}
	}
}

// A proxy that refuses may say what it was sent.
func TestProxysWordsTellNoPassword(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}).BasicAuth()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 407 you sent %s %s\r\nContent-Length: 0\r\n\r\n", r.Header.Get("Proxy-Authorization"), password)
		_ = conn.Close()
	}))
	t.Cleanup(proxy.Close)
	for name, tc := range logins {
		t.Run(name, func(t *testing.T) {
			config := `{` + tc.login + `,"proxyUrl":"` + strings.Replace(proxy.URL, "://", "://me:hunter2@", 1) + `"}`
			resp, err := reach(t, "spoke.test", config)
			if err == nil {
				_ = resp.Body.Close()
				t.Fatalf("%s: the proxy let it pass", tc.reason)
			}
			if told := err.Error(); !strings.Contains(told, "you sent") || strings.Contains(told, "hunter2") || strings.Contains(told, "bWU6aHVudGVyMg") {
				t.Errorf("%s: told %s", tc.reason, told)
			}
		})
	}
}
