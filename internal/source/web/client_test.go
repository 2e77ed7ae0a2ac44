package web_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/githubapp"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// repeats is a host, and a proxy, whose own words for a refusal are what it was sent.
func repeats(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		behind := http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
		_, password, _ := r.BasicAuth()
		_, proxys, _ := behind.BasicAuth()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func(c net.Conn) { _ = c.Close() }(conn)
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 403 you sent %s %s %s %s\r\nContent-Length: 0\r\n\r\n",
			r.Header.Get("Authorization"), r.Header.Get("Proxy-Authorization"), password, proxys)
	}))
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, repository string, cred access.Credential) *web.Client {
	t.Helper()
	c, err := web.New(parsed(t, repository), cred, web.Settings{Timeout: time.Minute, PrivateHosts: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func parsed(t *testing.T, repository string) address.Address {
	t.Helper()
	at, err := address.Parse(repository)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestWhatAHostRepeatsIsNotTold(t *testing.T) {
	s := repeats(t)
	proxy := access.Secret(strings.Replace(s.URL, "://", "://me:pr0xys-word@", 1))
	cases := map[string]struct {
		reason, url string
		cred        access.Credential
	}{
		"password":         {"the words of a refusal", s.URL, access.Credential{Username: "me", Password: "hunter2"}},
		"token":            {"the same of a token", s.URL, access.Credential{BearerToken: "hunter2"}},
		"proxy":            {"a proxy's", "http://charts.planted.test", access.Credential{Proxy: proxy}},
		"proxy on the way": {"which are the error of a connection", "https://charts.planted.test", access.Credential{Proxy: proxy}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := client(t, tc.url, tc.cred)
			resp, err := c.Get(t.Context(), tc.url+"/index.yaml", nil)
			if err == nil {
				_ = resp.Body.Close()
				t.Fatal("it was not refused")
			}
			tellsNothing(t, tc.reason, err)
		})
	}
}

func TestWhatIsRepeatedOfAnAppIsNotTold(t *testing.T) {
	s := repeats(t)
	proxy := access.Secret(strings.Replace(s.URL, "://", "://me:pr0xys-word@", 1))
	for reason, base := range map[string]string{"the words of a refusal": s.URL, "a proxy's": "https://ghe.planted.test"} {
		cred := access.Credential{App: &access.App{ID: 1, Installation: 2, PrivateKey: access.Secret(appKey(t)), BaseURL: base}, Proxy: proxy, NoProxy: "127.0.0.1"}
		tokens, err := githubapp.New(cred, time.Minute, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = tokens.Token(t.Context()); err == nil {
			t.Fatalf("%s: it was not refused", reason)
		}
		tellsNothing(t, reason, err)
	}
}

func tellsNothing(t *testing.T, reason string, err error) {
	t.Helper()
	for _, told := range []string{"hunter2", "bWU6aHVudGVyMg", "pr0xys-word", "bWU6cHIweHlzLXdvcmQ", "eyJhbGci"} {
		if strings.Contains(err.Error(), told) {
			t.Errorf("%s: %v tells %s", reason, err, told)
		}
	}
}

func appKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// TestPassing is about who gets a password that is to be passed on.
func TestPassing(t *testing.T) {
	var signed atomic.Bool
	see := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { signed.Store(r.Header.Get("Authorization") != "") })
	plain, other, encrypted := httptest.NewServer(see), httptest.NewServer(see), httptest.NewTLSServer(see)
	for _, s := range []*httptest.Server{plain, other, encrypted} {
		t.Cleanup(s.Close)
	}
	password := access.Credential{Username: "me", Password: "hunter2", Insecure: true}
	token := access.Credential{BearerToken: "hunter2", Insecure: true}
	permitted := password
	permitted.PassCredentials = true
	cases := map[string]struct {
		reason, repository, address string
		cred                        access.Credential
		signed, refused             bool
	}{
		"Own":       {"its own host gets it", plain.URL, plain.URL, password, true, false},
		"Other":     {"another one does not, unless the Secret permits it", plain.URL, other.URL, password, false, true},
		"Token":     {"nor a token", plain.URL, other.URL, token, false, true},
		"Permitted": {"then it does", plain.URL, other.URL, permitted, true, false},
		"Encrypted": {"also by an encrypted connection", plain.URL, encrypted.URL, permitted, true, false},
		"Clear":     {"what was for one is never sent in the clear", encrypted.URL, plain.URL, permitted, false, false},
		"Nothing":   {"who has none may ask anybody", plain.URL, other.URL, access.Credential{}, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			signed.Store(false)
			c := client(t, tc.repository, tc.cred)
			res, err := c.GetBeyond(t.Context(), tc.address, nil, web.Beyond{Passing: true})
			if err == nil {
				_ = res.Body.Close()
			}
			if (err != nil) != tc.refused || signed.Load() != tc.signed {
				t.Errorf("%s: signed %t, %v", tc.reason, signed.Load(), err)
			}
		})
	}
}
