package source

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// authority signs certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	a.pem, _, a.key = a.issue(t, template)
	block, _ := pem.Decode([]byte(a.pem))
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	a.cert = cert
	return a
}

// issue signs a certificate, with itself when the authority has none yet.
func (a *authority) issue(t *testing.T, template *x509.Certificate) (cert, key string, private *ecdsa.PrivateKey) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})), private
}

// leaf is a certificate for 127.0.0.1, or for a client.
func (a *authority) leaf(t *testing.T, name string, use x509.ExtKeyUsage) (cert, key string) {
	t.Helper()
	cert, key, _ = a.issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{use},
	})
	return cert, key
}

// secured serves a handler to those that show a certificate of the authority.
func (a *authority) secured(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	pair, err := tls.X509KeyPair(a.serverPair(t))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (a *authority) serverPair(t *testing.T) (cert, key []byte) {
	t.Helper()
	c, k := a.leaf(t, "127.0.0.1", x509.ExtKeyUsageServerAuth)
	return []byte(c), []byte(k)
}

// TestCertificates opens each kind of repository with a server's own
// authority and a client's certificate.
func TestCertificates(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	cert, key := ours.leaf(t, "client", x509.ExtKeyUsageClientAuth)
	strangeCert, strangeKey := theirs.leaf(t, "client", x509.ExtKeyUsageClientAuth)

	repo := newRepository(t)
	gitTLS := ours.secured(t, newGitServer(t, filepath.Dir(repo)).Config.Handler)
	archive := packed(t, "web", "1.0.0")
	helmTLS := ours.secured(t, newHelmServer(t, map[string][]byte{"web-1.0.0.tgz": archive}, index("web", "1.0.0")).Config.Handler)
	plain := newOCIServer(t)
	plain.push(t, "charts/web", "1.0.0", "application/vnd.cncf.helm.chart.content.v1.tar+gzip", archive)
	ociTLS := ours.secured(t, plain.Config.Handler)

	refs := map[string]gitops.SourceRef{
		"Git":  {RepoURL: gitTLS.URL + "/repo", Revision: "main"},
		"Helm": {RepoURL: helmTLS.URL + "/charts", Chart: "web"},
		"OCI":  {RepoURL: "oci://" + strings.TrimPrefix(ociTLS.URL, "https://") + "/charts", Chart: "web"},
	}
	cases := map[string]struct {
		reason string
		cred   Credential
		ok     bool
	}{
		"Both":         {"the server's authority and a client's certificate", Credential{CA: ours.pem, TLSCert: cert, TLSKey: Secret(key)}, true},
		"Insecure":     {"without looking at the server's certificate", Credential{Insecure: true, TLSCert: cert, TLSKey: Secret(key)}, true},
		"NoAuthority":  {"an authority that nobody knows", Credential{TLSCert: cert, TLSKey: Secret(key)}, false},
		"NotTheirs":    {"another authority", Credential{CA: theirs.pem, TLSCert: cert, TLSKey: Secret(key)}, false},
		"NoClient":     {"no certificate of the client", Credential{CA: ours.pem}, false},
		"StrangeCert":  {"a certificate of another authority", Credential{CA: ours.pem, TLSCert: strangeCert, TLSKey: Secret(strangeKey)}, false},
		"OtherSKey":    {"a key that does not fit", Credential{CA: ours.pem, TLSCert: cert, TLSKey: Secret(strangeKey)}, false},
		"NoAuthority2": {"an authority that is no certificate", Credential{CA: "x", TLSCert: cert, TLSKey: Secret(key)}, false},
	}
	for name, tc := range cases {
		for kind, ref := range refs {
			t.Run(name+"/"+kind, func(t *testing.T) {
				_, err := newRegistry(t, Options{Credentials: known(tc.cred)}).Snapshot(t.Context(), ref)
				if (err == nil) != tc.ok {
					t.Fatalf("%s: got %v", tc.reason, err)
				}
				if err == nil {
					return
				}
				if p := problem(t, err); p.Kind == gitops.NotFound || strings.Contains(err.Error(), "PRIVATE KEY") {
					t.Errorf("%s: got %v", tc.reason, err)
				}
			})
		}
	}
}

func index(name, version string) string {
	return "apiVersion: v1\nentries:\n  " + name + ":\n  - name: " + name + "\n    version: " + version + "\n    urls: [" + name + "-" + version + ".tgz]\n"
}
