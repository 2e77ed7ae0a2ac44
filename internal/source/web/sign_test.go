package web_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// lets permits what has a text in its address.
type lets string

func (l lets) Permits(address string) (bool, error) {
	if strings.Contains(address, "denied") {
		return false, gitops.Problemf(gitops.Forbidden, "it is denied")
	}
	return strings.Contains(address, string(l)), nil
}

func (l lets) Admits(ref gitops.SourceRef) (bool, error) { return l.Permits(ref.RepoURL) }

func (l lets) Key() string { return string(l) }

// guarded is a host that notes who signed in for what.
func guarded(t *testing.T) (host *httptest.Server, asked func() string) {
	t.Helper()
	var seen []string
	host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		seen = append(seen, fmt.Sprintf("%s %t", r.URL.EscapedPath(), password == "hunter2"))
		to := r.URL.Query().Get("to")
		switch {
		case to != "":
			http.Redirect(w, r, to, http.StatusFound)
		case password != "hunter2" && !strings.Contains(r.URL.Path, "public"):
			http.Error(w, "who are you?", http.StatusUnauthorized)
		}
	}))
	t.Cleanup(host.Close)
	return host, func() string {
		out := strings.Join(seen, ", ")
		seen = nil
		return out
	}
}

// TestWhatIsSigned is about which addresses of a repository's host are asked for
// with its credential, whoever names them.
func TestWhatIsSigned(t *testing.T) {
	cases := map[string]struct {
		reason, path string
		rule         web.Rule
		asked        string
		err          string
	}{
		"Below":        {"an archive of the repository", "/red/charts/x.tgz", nil, "/red/charts/x.tgz true", ""},
		"Spelling":     {"one spelling of its folder is as good as another", "/red//ch%61rts/x.tgz", nil, "/red//ch%61rts/x.tgz true", ""},
		"Elsewhere":    {"another repository's, before anybody was asked", "/blue/x.tgz", nil, "", "not below its address"},
		"Beginning":    {"a name that begins so is another one", "/red/charts-of-blue/x.tgz", web.Nowhere{}, "/red/charts-of-blue/x.tgz false", "spec.sourceRepos"},
		"Nowhere":      {"another repository's that nobody permits", "/blue/x.tgz", web.Nowhere{}, "/blue/x.tgz false", "credential was not sent; add the address"},
		"Public":       {"which may be open to everybody", "/blue/public.tgz", web.Nowhere{}, "/blue/public.tgz false", ""},
		"Permitted":    {"one that the project permits", "/files/x.tgz", lets("/files/"), "/files/x.tgz true", ""},
		"Denied":       {"one that it denies is not even asked for", "/denied/x.tgz", lets("/files/"), "", "it is denied"},
		"Dots":         {"what servers read in several ways is no address", "/red/charts/%2e%2e/blue/x.tgz", lets(""), "", "one or two dots"},
		"Twice":        {"also where only some do", "/red/charts/%252e%252e/blue/x.tgz", lets(""), "", "one or two dots"},
		"Backslash":    {"or take one sign for another", "/red/charts/..%5c..%5cblue/x.tgz", lets(""), "", "backslash"},
		"SentOn":       {"a server that sends on leads no credential elsewhere", "/red/charts/x.tgz?to=/blue/x.tgz", web.Nowhere{}, "/red/charts/x.tgz true, /blue/x.tgz false", "not sent"},
		"SentOnUnread": {"nor before anybody was asked", "/red/charts/x.tgz?to=/blue/x.tgz", nil, "/red/charts/x.tgz true", "not below its address"},
		"SentOnWith":   {"unless that is permitted", "/red/charts/x.tgz?to=/files/x.tgz", lets("/files/"), "/red/charts/x.tgz true, /files/x.tgz true", ""},
		"SentBack":     {"and back home it is the repository's", "/blue/public?to=/red/charts/x.tgz", web.Nowhere{}, "/blue/public false, /red/charts/x.tgz true", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			host, asked := guarded(t)
			c := client(t, host.URL+"/red/charts", access.Credential{Username: "operator", Password: "hunter2"})
			res, err := c.GetBeyond(t.Context(), host.URL+tc.path, nil, web.Beyond{Rule: tc.rule})
			if err == nil {
				_ = res.Body.Close()
			}
			if got := asked(); got != tc.asked || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: asked for %q, want %q; %v", tc.reason, got, tc.asked, err)
			}
		})
	}
}

// TestNothingToWithhold asks for whatever it is, where there is no credential.
func TestNothingToWithhold(t *testing.T) {
	host, asked := guarded(t)
	c := client(t, host.URL+"/red/charts", access.Credential{})
	res, err := c.GetBeyond(t.Context(), host.URL+"/blue/public.tgz", nil, web.Beyond{})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := asked(); got != "/blue/public.tgz false" || c.Reaches(host.URL+"/blue/public.tgz") != nil {
		t.Errorf("asked for %q", got)
	}
}

// TestPrivateElsewhere connects without the credential to public hosts alone.
func TestPrivateElsewhere(t *testing.T) {
	host, asked := guarded(t)
	c, err := web.New(parsed(t, host.URL+"/red/charts"), access.Credential{Username: "operator", Password: "hunter2"}, web.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	res, err := c.GetBeyond(t.Context(), host.URL+"/blue/public.tgz", nil, web.Beyond{Rule: web.Nowhere{}})
	if err == nil {
		_ = res.Body.Close()
	}
	var withheld *web.Withheld
	if got := asked(); got != "" || !errors.As(err, &withheld) || !strings.Contains(err.Error(), "private address") {
		t.Errorf("asked for %q, %v", got, err)
	}
}

// TestCertificateIsForTheRepository shows a client certificate to no address
// that gets no password either.
func TestCertificateIsForTheRepository(t *testing.T) {
	var shown bool
	host := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown = len(r.TLS.PeerCertificates) > 0 }))
	host.TLS = asking()
	host.StartTLS()
	t.Cleanup(host.Close)
	other := httptest.NewUnstartedServer(host.Config.Handler)
	other.TLS = asking()
	other.StartTLS()
	t.Cleanup(other.Close)
	cert, key := pair(t)
	c := client(t, host.URL+"/red", access.Credential{TLSCert: cert, TLSKey: access.Secret(key), Insecure: true})
	for address, want := range map[string]bool{host.URL + "/red/x.tgz": true, other.URL + "/red/x.tgz": false} {
		shown = false
		res, err := c.GetBeyond(t.Context(), address, nil, web.Beyond{})
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if shown != want {
			t.Errorf("%s: shown %t, want %t", address, shown, want)
		}
	}
	var elsewhere *web.Elsewhere
	if err := c.Reaches(host.URL + "/blue/x.tgz"); !errors.As(err, &elsewhere) {
		t.Errorf("got %v", err)
	}
}

func asking() *tls.Config { return &tls.Config{ClientAuth: tls.RequestClientCert} }

// pair is a certificate with its key, in PEM.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
