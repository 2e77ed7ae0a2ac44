package app

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

const storeAndSecret = `
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata:
  name: values
  annotations: {argocd.argoproj.io/sync-wave: "-1"}
spec:
  provider:
    fake:
      data: [{key: password, value: hunter22}]
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database}
spec:
  secretStoreRef: {name: values}
  refreshInterval: 1s
  data: [{secretKey: password, remoteRef: {key: password}}]
`

// TestSecretsFromGit: an application with a store and an ExternalSecret brings the Secret, and a value that changed in
// Git arrives in it.
func TestSecretsFromGit(t *testing.T) {
	e := start(t, map[string]string{"apps/database/secret.yaml": storeAndSecret}, func(c *Config) { c.Secrets = true })
	e.app("database", "apps/database")
	e.until("database", "Healthy", good)
	e.secretHas("database", "password", "hunter22")
	e.write("apps/database/secret.yaml", strings.Replace(storeAndSecret, "hunter22", "hunter33", 1))
	e.secretHas("database", "password", "hunter33")
	e.until("database", "Healthy", good)
}

func (e *engine) secretHas(name, key, want string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		var secret corev1.Secret
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, &secret); err != nil {
			return err
		}
		if got := string(secret.Data[key]); got != want {
			return fmt.Errorf("%s is %q", key, got)
		}
		return nil
	})
}
