package app

import (
	"encoding/pem"
	"net/http/httptest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/hub"
)

// certificateOf is the certificate of a server in PEM form.
func certificateOf(s *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// certificate makes the installation trust a certificate for a host.
func (e *engine) certificate(host, certificate string) {
	e.t.Helper()
	err := e.Create(e.t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: hub.TLSCertsMap}, Data: map[string]string{host: certificate},
	})
	if err != nil {
		e.t.Fatal(err)
	}
}
