package kubelet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"

	"github.com/causeway-gitops/causeway/kube/internal/pki"
)

func TestOnlyTheAPIServerMayAsk(t *testing.T) {
	ours, err := pki.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := pki.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, ours)
	tests := map[string]struct {
		reason string
		user   string
		by     *pki.Authority
		answer bool
	}{
		"APIServer": {reason: "it is whom the kubelet works for", user: User, by: ours, answer: true},
		"Admin":     {reason: "even an administrator has to ask the API server", user: "causeway-admin", by: ours},
		"Foreign":   {reason: "anybody can make a certificate with that name", user: User, by: foreign},
		"Nobody":    {reason: "a certificate is needed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			response, err := ask(t, address, ours, tc.by, tc.user)
			if (err == nil) != tc.answer {
				t.Fatalf("%s: got %v, %v", tc.reason, response, err)
			}
			if tc.answer && response != http.StatusNotImplemented {
				t.Errorf("nothing but logs is served, but the status is %d", response)
			}
		})
	}
}

// serve runs a kubelet until the test ends, and returns where.
func serve(t *testing.T, authority *pki.Authority) string {
	t.Helper()
	pair, err := authority.Server("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Config{Listener: listener, CA: authority.PEM(), Cert: pair.Cert, Key: pair.Key})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("it stopped with %v", err)
		}
	})
	return listener.Addr().String()
}

// ask tries to execute something, as the user that the authority vouches for.
func ask(t *testing.T, address string, trusted, by *pki.Authority, user string) (int, error) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(trusted.PEM())
	config := &tls.Config{RootCAs: roots}
	if by != nil {
		pair, err := by.Client(user)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
		if err != nil {
			t.Fatal(err)
		}
		// Show it whether or not the server says that it would be trusted.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
	}
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Post("https://"+address+"/exec/default/web/main", "", nil)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
