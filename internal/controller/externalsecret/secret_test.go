package externalsecret_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// place is a namespace of a test.
type place struct {
	testing.TB

	namespace string
}

func newPlace(t *testing.T) place {
	t.Helper()
	return place{t, embeddedtest.Namespace(t, config)}
}

// has creates or replaces objects that are written in YAML.
func (p place) has(texts ...string) {
	p.Helper()
	for _, text := range texts {
		var one client.Object = &esv1.ExternalSecret{}
		if strings.Contains(text, "kind: SecretStore") && !strings.Contains(text, "kind: ExternalSecret") {
			one = &esv1.SecretStore{}
		}
		if err := yaml.UnmarshalStrict([]byte(text), one); err != nil {
			p.Fatal(err)
		}
		one.SetNamespace(p.namespace)
		p.put(one)
	}
}

func (p place) put(one client.Object) {
	p.Helper()
	embeddedtest.Eventually(p, func(ctx context.Context) error {
		before, _ := one.DeepCopyObject().(client.Object)
		err := kube.Get(ctx, client.ObjectKeyFromObject(one), before)
		if apierrors.IsNotFound(err) {
			return kube.Create(ctx, one)
		}
		if err != nil {
			return err
		}
		one.SetResourceVersion(before.GetResourceVersion())
		return kube.Update(ctx, one) // the engine may write the status meanwhile
	})
}

// secret waits until a Secret has these values.
func (p place) secret(name string, want map[string]string) *corev1.Secret {
	p.Helper()
	var secret corev1.Secret
	embeddedtest.Eventually(p, func(ctx context.Context) error {
		if err := kube.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, &secret); err != nil {
			return err
		}
		got := map[string]string{}
		for key, text := range secret.Data {
			got[key] = string(text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("the Secret differs (-want +got):\n%s", diff)
		}
		return nil
	})
	return &secret
}

// says waits until an ExternalSecret is ready, or not, for a reason.
func (p place) says(name, status, reason, message string) {
	p.Helper()
	embeddedtest.Eventually(p, func(ctx context.Context) error {
		var one esv1.ExternalSecret
		if err := kube.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, &one); err != nil {
			return err
		}
		for _, c := range one.Status.Conditions {
			if c.Type == "Ready" && c.Status == status && c.Reason == reason && strings.Contains(c.Message, message) {
				return nil
			}
		}
		return fmt.Errorf("the conditions are %+v", one.Status.Conditions)
	})
}

const values = `
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: values}
spec:
  provider:
    fake:
      data:
      - {key: user, value: ada}
      - {key: database, value: '{"host":"db.example","password":"hunter22","port":5432}'}
`

const database = `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: database
  labels: {team: payments}
spec:
  secretStoreRef: {name: values}
  refreshInterval: 1s
  data:
  - {secretKey: user, remoteRef: {key: user}}
  dataFrom:
  - extract: {key: database}
`

// TestSecretFollowsItsStore: a value that changed in the store arrives, a key that somebody put in goes, and a Secret
// that was deleted comes back.
func TestSecretFollowsItsStore(t *testing.T) {
	p := newPlace(t)
	p.has(values, database)
	want := map[string]string{"user": "ada", "host": "db.example", "password": "hunter22", "port": "5432"}
	secret := p.secret("database", want)
	if secret.Labels["team"] != "payments" || len(secret.OwnerReferences) != 1 {
		t.Errorf("labels %v, owners %v", secret.Labels, secret.OwnerReferences)
	}
	p.says("database", "True", "SecretSynced", "")

	p.has(strings.Replace(values, "hunter22", "hunter33", 1))
	want["password"] = "hunter33"
	secret = p.secret("database", want)

	secret.Data["password"], secret.Data["more"] = []byte("changed"), []byte("by hand")
	if err := kube.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	p.secret("database", want)

	if err := kube.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	p.secret("database", want)
}

// TestFailuresKeepTheSecret: what a store does not have any more leaves the Secret as it is, with a condition.
func TestFailuresKeepTheSecret(t *testing.T) {
	p := newPlace(t)
	p.has(values, database)
	want := map[string]string{"user": "ada", "host": "db.example", "password": "hunter22", "port": "5432"}
	p.secret("database", want)
	p.has(strings.Replace(values, "key: user", "key: nobody", 1))
	p.says("database", "False", "SecretSyncedError", "Secret does not exist: key \"user\"")
	p.says("database", "False", "SecretSyncedError", "the Secret is as it was at")
	p.secret("database", want)
	p.has(values)
	p.says("database", "True", "SecretSynced", "")
}

// TestTemplatesMakeTheSecret has a template of each kind.
func TestTemplatesMakeTheSecret(t *testing.T) {
	p := newPlace(t)
	p.put(&corev1.ConfigMap{ObjectMeta: metaOf(p.namespace, "texts"), Data: map[string]string{"dsn": "{{ .user }}@{{ .host }}:{{ .port }}"}})
	p.has(values, `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec:
  secretStoreRef: {name: values}
  dataFrom: [{extract: {key: database}}]
  data: [{secretKey: user, remoteRef: {key: user}}]
  target:
    name: app
    template:
      type: example.com/app
      metadata: {labels: {user: "{{ .user }}"}}
      data: {password.txt: "{{ .password | upper }}"}
      templateFrom:
      - configMap: {name: texts, items: [{key: dsn}]}
      - literal: "greeting: hello {{ .user }}"
`)
	secret := p.secret("app", map[string]string{"dsn": "ada@db.example:5432", "greeting": "hello ada", "password.txt": "HUNTER22"})
	if secret.Type != "example.com/app" || secret.Labels["user"] != "ada" {
		t.Errorf("type %q, labels %v", secret.Type, secret.Labels)
	}
}

func metaOf(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}
