package app

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

const generatorsAndSecrets = `
apiVersion: generators.external-secrets.io/v1alpha1
kind: GithubAccessToken
metadata: {name: app}
spec:
  appID: "12"
  installID: "34"
  url: %[1]s
  auth: {privateKey: {secretRef: {name: app, key: key}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: token}
spec:
  refreshInterval: 1h
  dataFrom: [{sourceRef: {generatorRef: {kind: GithubAccessToken, name: app}}}]
---
apiVersion: generators.external-secrets.io/v1alpha1
kind: Webhook
metadata: {name: made}
spec: {url: "%[1]s/make", result: {jsonPath: "$.made[0]"}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec:
  refreshInterval: 1h
  dataFrom: [{sourceRef: {generatorRef: {kind: Webhook, name: made}}}]
---
apiVersion: generators.external-secrets.io/v1alpha1
kind: ECRAuthorizationToken
metadata: {name: registry}
spec: {region: eu-central-1}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: registry}
spec:
  refreshInterval: 1h
  dataFrom: [{sourceRef: {generatorRef: {kind: ECRAuthorizationToken, name: registry}}}]
`

// TestSecretsOfGenerators: what servers make arrives in Secrets, and a generator is not the engine to any of them.
func TestSecretsOfGenerators(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/make" {
			_, _ = io.WriteString(w, `{"made":[{"user":"ada"}]}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"token":"ghs_made"}`)
	}))
	defer server.Close()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	e := start(t, map[string]string{"apps/made/a.yaml": fmt.Sprintf(generatorsAndSecrets, server.URL)}, func(c *Config) { c.Secrets, c.PrivateHosts = true, true })
	app := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "app"}, Data: map[string][]byte{
		"key": pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
	}}
	if err := e.Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	e.app("made", "apps/made")
	e.secretHas("token", "token", "ghs_made")
	e.secretHas("made", "user", "ada")
	c, one := e.externalSecrets(), &esv1.ExternalSecret{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "registry"}, one); err != nil {
			return err
		}
		if said := fmt.Sprint(one.Status.Conditions); !strings.Contains(said, "the engine's own identity is for ClusterSecretStores") {
			return errors.New(said)
		}
		return nil
	})
}
