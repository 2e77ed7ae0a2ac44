package app

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// waited is an ExternalSecret in wave 0, and what is to come when its Secret is there.
const waited = `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database}
spec:
  secretStoreRef: {name: values}
  data: [{secretKey: password, remoteRef: {key: password}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: after, annotations: {argocd.argoproj.io/sync-wave: "1"}}
data: {is: first}
`

// TestWavesWaitForExternalSecrets: the next wave comes when the Secret is made, and after a change when it is made of the
// newest spec: that the ExternalSecret is Ready then is still of the one before.
func TestWavesWaitForExternalSecrets(t *testing.T) {
	store, _, _ := strings.Cut(storeAndSecret, "---\n")
	store = strings.Replace(store, "value: hunter22}", "value: hunter22}, {key: other, value: hunter33}", 1)
	others := strings.Replace(store, "provider:", "controller: others\n  provider:", 1)
	e := start(t, map[string]string{"stores/store.yaml": others, "app/secret.yaml": waited}, func(c *Config) { c.Secrets = true })
	e.app("stores", "stores")
	embeddedtest.Eventually(t, func(context.Context) error { // its CustomResourceDefinition is there
		there, err := e.store()
		if err == nil && !there {
			err = errors.New("there is no store")
		}
		return err
	})
	e.app("app", "app")
	embeddedtest.Eventually(t, func(context.Context) error {
		return e.externalSecrets().Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "database"}, &esv1.ExternalSecret{})
	})
	is := func(want string) func(context.Context) error {
		return func(context.Context) error {
			cm, err := e.configMap("after")
			if err == nil && cm.Data["is"] != want {
				err = errors.New("it is " + cm.Data["is"])
			}
			return err
		}
	}
	embeddedtest.Never(t, 2*time.Second, is("first"))
	e.write("stores/store.yaml", store)
	embeddedtest.Eventually(t, is("first"))
	e.secretHas("database", "password", "hunter22")

	e.write("stores/store.yaml", others)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		one := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "values"}}
		if err := e.externalSecrets().Get(ctx, client.ObjectKeyFromObject(one), one); err != nil {
			return err
		}
		if one.Spec.Controller != "others" {
			return errors.New("the store is still the engine's")
		}
		return nil
	})
	e.write("app/secret.yaml", strings.NewReplacer("{key: password}}]", "{key: other}}]", "is: first", "is: second").Replace(waited))
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		one := &esv1.ExternalSecret{}
		if err := e.externalSecrets().Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "database"}, one); err != nil {
			return err
		}
		if one.Spec.Data[0].RemoteRef.Key != "other" {
			return errors.New("it is as it was")
		}
		return nil
	})
	embeddedtest.Never(t, 2*time.Second, is("second"))
	e.write("stores/store.yaml", store)
	embeddedtest.Eventually(t, is("second"))
	e.secretHas("database", "password", "hunter33")
}
