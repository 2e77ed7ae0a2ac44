package egress_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/egress"
)

// listening is a server on this machine that counts connections.
type listening struct {
	*httptest.Server
	connected atomic.Int64
}

func listen(t *testing.T, start func(*httptest.Server), answer http.HandlerFunc) *listening {
	t.Helper()
	l := &listening{Server: httptest.NewUnstartedServer(answer)}
	l.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			l.connected.Add(1)
		}
	}
	start(l.Server)
	t.Cleanup(l.Close)
	return l
}

func hello(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "hello "+r.Host) }

// named is an address with a name for the host.
func named(t *testing.T, address, host string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = net.JoinHostPort(host, u.Port())
	return u.String()
}

// TestDirect connects to no private host, by whatever name and redirect.
func TestDirect(t *testing.T) {
	private := listen(t, (*httptest.Server).Start, hello)
	client := http.Client{Transport: egress.Direct(http.DefaultTransport.(*http.Transport))}
	for address, says := range map[string]string{
		private.URL:                          "host 127.0.0.1 is a private address",
		named(t, private.URL, "localhost"):   "host localhost has the private address ",
		"http://[::ffff:169.254.169.254]/":   "host ::ffff:169.254.169.254 has the private address 169.254.169.254",
		named(t, private.URL, "2130706433"):  "", // an address as some resolvers take it
		named(t, private.URL, "127.1"):       "",
		"http://metadata.localhost.invalid/": "",
	} {
		res, err := client.Get(address)
		if err == nil {
			_ = res.Body.Close()
			t.Errorf("%s was asked", address)
			continue
		}
		var refusal *egress.Refusal
		if says != "" && (!errors.As(err, &refusal) || !strings.Contains(refusal.Error(), says)) {
			t.Errorf("%s: got %v", address, err)
		}
	}
	if n := private.connected.Load(); n != 0 {
		t.Errorf("%d connections arrived", n)
	}
}

// TestRemote connects to no host of this machine, by whatever name, but for the proxy that the environment names.
func TestRemote(t *testing.T) {
	here := listen(t, (*httptest.Server).Start, hello)
	client := http.Client{Transport: &http.Transport{DialContext: egress.DialRemote, DisableKeepAlives: true}}
	for address, says := range map[string]string{
		here.URL:                             "host 127.0.0.1 is a local address",
		named(t, here.URL, "localhost"):      "host localhost has the local address ",
		named(t, here.URL, "0.0.0.0"):        "host 0.0.0.0 is a local address",
		"http://[::ffff:169.254.169.254]/":   "host ::ffff:169.254.169.254 has the local address 169.254.169.254",
		"http://169.254.169.254/latest/meta": "host 169.254.169.254 is a local address",
	} {
		res, err := client.Get(address)
		if err == nil {
			_ = res.Body.Close()
		}
		var refusal *egress.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Error(), says) {
			t.Errorf("%s: got %v", address, err)
		}
	}
	if n := here.connected.Load(); n != 0 {
		t.Errorf("%d connections arrived", n)
	}
	for _, proxy := range []string{here.URL, strings.TrimPrefix(here.URL, "http://")} {
		t.Setenv("HTTP_PROXY", "")
		t.Setenv("HTTPS_PROXY", proxy)
		if got := get(t, &client, here.URL); !strings.HasPrefix(got, "hello") {
			t.Errorf("the proxy %s: %s", proxy, got)
		}
		var refusal *egress.Refusal
		if _, err := egress.DialRemote(t.Context(), "tcp", "127.0.0.1:1"); !errors.As(err, &refusal) {
			t.Errorf("beside the proxy: %v", err)
		}
	}
}

// TestGuard leaves to a proxy what that is for, and redirects past it are not.
func TestGuard(t *testing.T) {
	private := listen(t, (*httptest.Server).Start, hello)
	proxy := listen(t, (*httptest.Server).Start, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/leads-away" {
			http.Redirect(w, r, private.URL, http.StatusFound)
			return
		}
		hello(w, r)
	})
	via, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	base := &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "127.0.0.1" {
			return nil, nil
		}
		return via, nil
	}}
	client := http.Client{Transport: egress.Guard(base)}
	defer client.CloseIdleConnections()
	if got := get(t, &client, "http://git.example.com/"); got != "hello git.example.com" {
		t.Errorf("by the proxy: %s", got)
	}
	var refusal *egress.Refusal
	for _, address := range []string{private.URL, "http://git.example.com/leads-away"} {
		res, err := client.Get(address)
		if err == nil {
			_ = res.Body.Close()
		}
		if !errors.As(err, &refusal) {
			t.Errorf("%s: got %v", address, err)
		}
	}
	if n := private.connected.Load(); n != 0 {
		t.Errorf("%d connections arrived", n)
	}
}

func get(t *testing.T, client *http.Client, address string) string {
	t.Helper()
	res, err := client.Get(address)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		return res.Status
	}
	return string(body)
}

// throughProxy is a client of a Proxy, for which each of the named hosts is a
// server, and all others are what they are.
func throughProxy(t *testing.T, hosts map[string]*listening, change func(*url.URL)) (*egress.Proxy, *http.Client) {
	t.Helper()
	p, err := egress.Listen(func(ctx context.Context, network, address string) (net.Conn, error) {
		if l, ok := hosts[address]; ok {
			return (&net.Dialer{}).DialContext(ctx, network, l.Listener.Addr().String())
		}
		return egress.Dial(ctx, network, address)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	via := p.URL()
	if change != nil {
		change(via)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(via), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(client.CloseIdleConnections)
	return p, client
}

// TestProxy connects for a program to public hosts alone.
func TestProxy(t *testing.T) {
	plain, sealed := listen(t, (*httptest.Server).Start, hello), listen(t, (*httptest.Server).StartTLS, hello)
	hosts := map[string]*listening{"git.example.com:80": plain, "git.example.com:443": sealed}
	p, client := throughProxy(t, hosts, nil)
	for _, address := range []string{"http://git.example.com/", "https://git.example.com/"} {
		if got := get(t, client, address); got != "hello git.example.com" {
			t.Errorf("%s: got %s", address, got)
		}
	}
	if refusal := p.Refusal(); refusal != nil {
		t.Errorf("it refused: %v", refusal)
	}
	before := plain.connected.Load() + sealed.connected.Load()
	for _, address := range []string{plain.URL, sealed.URL} {
		if got := get(t, client, address); !strings.Contains(got, "Forbidden") {
			t.Errorf("%s: got %s", address, got)
		}
		if refusal := p.Refusal(); refusal == nil || refusal.Address != "127.0.0.1" {
			t.Errorf("%s: it refused: %v", address, refusal)
		}
	}
	if now := plain.connected.Load() + sealed.connected.Load(); now != before {
		t.Errorf("%d connections arrived", now-before)
	}
}

// TestProxyServesWhoKnowsIt lets nobody else on the machine use it.
func TestProxyServesWhoKnowsIt(t *testing.T) {
	server := listen(t, (*httptest.Server).Start, hello)
	hosts := map[string]*listening{"git.example.com:80": server, "git.example.com:443": server}
	for name, change := range map[string]func(*url.URL){
		"Nobody":  func(u *url.URL) { u.User = nil },
		"Another": func(u *url.URL) { u.User = url.UserPassword("engine", "guessed") },
		"Empty":   func(u *url.URL) { u.User = url.UserPassword("engine", "") },
	} {
		_, client := throughProxy(t, hosts, change)
		for _, address := range []string{"http://git.example.com/", "https://git.example.com/"} {
			if got := get(t, client, address); !strings.Contains(got, "Proxy Authentication Required") {
				t.Errorf("%s: %s: got %s", name, address, got)
			}
		}
	}
	if n := server.connected.Load(); n != 0 {
		t.Errorf("%d connections arrived", n)
	}
}

// TestProxyEnds closes tunnels that are open, and waits for them.
func TestProxyEnds(t *testing.T) {
	arrived := make(chan struct{})
	server := listen(t, (*httptest.Server).StartTLS, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done() // until its connection ends
	})
	p, client := throughProxy(t, map[string]*listening{"git.example.com:443": server}, nil)
	failed := make(chan error, 1)
	go func() {
		res, err := client.Get("https://git.example.com/")
		if err == nil {
			_ = res.Body.Close()
		}
		failed <- err
	}()
	<-arrived
	p.Close()
	if err := <-failed; err == nil {
		t.Error("the tunnel was not closed")
	}
	if got := get(t, client, "https://git.example.com/"); strings.HasPrefix(got, "hello") {
		t.Error("it serves after its end")
	}
}

// TestProxied has the proxies of the environment.
func TestProxied(t *testing.T) {
	tests := map[string]struct {
		reason  string
		env     map[string]string
		address string
		want    string
	}{
		"None":     {"nothing is set", nil, "https://git.example.com/r", ""},
		"HTTPS":    {"one for https", map[string]string{"HTTPS_PROXY": "http://proxy:3128"}, "https://git.example.com/r", "http://proxy:3128"},
		"Scheme":   {"which is none for http", map[string]string{"HTTPS_PROXY": "http://proxy:3128"}, "http://git.example.com/r", ""},
		"All":      {"one for all", map[string]string{"ALL_PROXY": "socks5h://proxy:1080"}, "http://git.example.com/r", "socks5h://proxy:1080"},
		"Own":      {"a scheme's own comes first", map[string]string{"all_proxy": "socks5://all:1080", "http_proxy": "proxy:3128"}, "http://git.example.com/r", "http://proxy:3128"},
		"Except":   {"hosts of the network are left out", map[string]string{"ALL_PROXY": "socks5://proxy:1080", "NO_PROXY": ".corp"}, "https://git.corp/r", ""},
		"Loopback": {"this machine is never asked by a proxy", map[string]string{"HTTPS_PROXY": "http://proxy:3128"}, "https://127.0.0.1/r", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, v := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
				t.Setenv(v, tc.env[v])
			}
			via, err := egress.Proxied(tc.address)
			got := ""
			if via != nil {
				got = via.String()
			}
			if err != nil || got != tc.want {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
}
