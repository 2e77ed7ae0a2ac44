package serve_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
)

// A certificate that nobody gave is made, kept, and shown; cookies then go by
// TLS alone, and no browser is told that it may never come otherwise.
func TestPagesByTLSWithoutACertificateGiven(t *testing.T) {
	s := serveSite(t, nil, func(c *app.Config) {
		c.Serving.GenerateTLS, c.Serving.TLSHosts = true, []string{"causeway.example.com"}
	})
	kept := &corev1.Secret{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		return s.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: listener.TLSSecret}, kept)
	})
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(kept.Data[corev1.TLSCertKey]) || kept.Type != corev1.SecretTypeTLS {
		t.Fatalf("the Secret has no certificate: %s", kept.Type)
	}
	ask := func(name string) (*http.Response, error) {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: name, MinVersion: tls.VersionTLS12}}}
		defer c.CloseIdleConnections()
		body := strings.NewReader(`{"username":"admin","password":"` + adminPassword + `"}`)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.Replace(s.url, "http://", "https://", 1)+"/api/v1/session", body)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		return c.Do(r)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		answer, err := ask("causeway.example.com")
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK || len(answer.Cookies()) == 0 || !answer.Cookies()[0].Secure || answer.Header.Get("Strict-Transport-Security") != "" {
			return errors.New(answer.Status + " with " + strings.Join(answer.Header.Values("Set-Cookie"), "; ") + answer.Header.Get("Strict-Transport-Security"))
		}
		return nil
	})
	var wrong x509.HostnameError
	if answer, err := ask("other.example.com"); !errors.As(err, &wrong) {
		if err == nil {
			_ = answer.Body.Close()
		}
		t.Errorf("for a name that it is not for: %v", err)
	}
}
