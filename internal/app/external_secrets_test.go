package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
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

// TestSecretsOfPausedClusters: a cluster that is left alone gets no value, also when the store has another one, until the pause ends.
func TestSecretsOfPausedClusters(t *testing.T) {
	logged := &records{}
	e := start(t, map[string]string{"apps/database/secret.yaml": storeAndSecret}, func(c *Config) {
		c.Secrets, c.Log = true, slog.New(slog.NewTextHandler(logged, nil))
	})
	e.app("database", "apps/database")
	e.secretHas("database", "password", "hunter22")
	hub := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "hub", Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster},
			Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"},
		},
		StringData: map[string]string{"name": "hub", "server": gitops.HubServer, "config": "{}"},
	}
	if err := e.Create(t.Context(), hub); err != nil {
		t.Fatal(err)
	}
	e.logs(logged, "ExternalSecrets of a cluster are left alone", "cluster hub is paused by the annotation")
	store := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "values"}}
	patch := []byte(`{"spec": {"provider": {"fake": {"data": [{"key": "password", "value": "hunter33"}]}}}}`)
	if err := e.externalSecrets().Patch(t.Context(), store, client.RawPatch(types.MergePatchType, patch)); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Never(t, 2*time.Second, e.secretIs("database", "password", "hunter33"))
	e.write("apps/database/secret.yaml", strings.Replace(storeAndSecret, "hunter22", "hunter33", 1)) // else the store is healed
	if err := e.Patch(t.Context(), hub, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"annotations": null}}`))); err != nil {
		t.Fatal(err)
	}
	e.secretHas("database", "password", "hunter33")
}

// TestSecretsOfClustersThatAreLimited: where the engine may not look at all namespaces, or could not tell which credential is
// meant, it does not begin.
func TestSecretsOfClustersThatAreLimited(t *testing.T) {
	logged := &records{}
	e := prepare(t, hubConfig, map[string]string{"apps/none/a.yaml": storeOnThisMachine})
	e.adjust = func(c *Config) { c.Secrets, c.Log = true, slog.New(slog.NewTextHandler(logged, nil)) }
	for name, data := range map[string]map[string]string{
		"narrow": {"server": "https://127.0.0.1:1/narrow", "namespaces": "shop"},
		"first":  {"server": "https://127.0.0.1:1/twice"},
		"second": {"server": "HTTPS://127.0.0.1:1/twice/"},
		"lone":   {"server": "https://127.0.0.1:1/lone"},
	} {
		data["name"], data["config"] = name, "{}"
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster},
		}, StringData: data}
		if err := e.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	e.restart()
	for name, why := range map[string]string{"narrow": "limits the engine to namespaces", "first": "several cluster Secrets", "second": "several cluster Secrets"} {
		e.logs(logged, "ExternalSecrets of a cluster are left alone", "cluster="+name, why)
	}
	e.logs(logged, "left alone for now", "cluster=https://127.0.0.1:1/lone")
	logged.mu.Lock()
	defer logged.mu.Unlock()
	for line := range strings.Lines(logged.text.String()) {
		if strings.Contains(line, "left alone for now") && !strings.Contains(line, "/lone") {
			t.Error(line)
		}
	}
}

const storeOnThisMachine = `
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: values}
spec:
  provider:
    webhook: {url: "%s/{{ .remoteRef.key }}"}
`

// TestStoresOnTheEnginesMachine: whoever writes a store has the engine ask nothing of its own machine, unless that is theirs.
func TestStoresOnTheEnginesMachine(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, "hunter22")
	}))
	defer server.Close()
	_, secret, _ := strings.Cut(storeAndSecret, "---")
	e := prepare(t, hubConfig, map[string]string{"apps/database/a.yaml": fmt.Sprintf(storeOnThisMachine, server.URL), "apps/database/b.yaml": secret})
	e.adjust = func(c *Config) { c.Secrets = true }
	stop := e.restart()
	e.app("database", "apps/database")
	c, one := e.externalSecrets(), &esv1.ExternalSecret{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "database"}, one); err != nil {
			return err
		}
		if said := fmt.Sprint(one.Status.Conditions); !strings.Contains(said, "host 127.0.0.1 is a local address") {
			return errors.New(said)
		}
		return nil
	})
	if n := asked.Load(); n != 0 {
		t.Errorf("it was asked %d times", n)
	}
	stop()
	e.adjust = func(c *Config) { c.Secrets, c.PrivateHosts = true, true }
	e.restart()
	e.secretHas("database", "password", "hunter22")
}

const storeOfTheEngine = `
apiVersion: external-secrets.io/v1
kind: %s
metadata: {name: %s}
spec:
  provider:
    aws: {service: SecretsManager, region: eu-central-1}
`

// TestStoresReadAsTheEngine: only a ClusterSecretStore is read with what the engine is to AWS, and only where the engine is a pod of the
// cluster: elsewhere that is who started it.
func TestStoresReadAsTheEngine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_, _ = io.WriteString(w, `{"Name":"db","SecretString":"hunter22"}`)
	}))
	defer server.Close()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIDENGINE", "AWS_SECRET_ACCESS_KEY": "x", "AWS_SECRETSMANAGER_ENDPOINT": server.URL} {
		t.Setenv(name, value)
	}
	e := prepare(t, hubConfig, map[string]string{"apps/none/a.yaml": storeOnThisMachine})
	e.adjust = func(c *Config) { c.Secrets, c.PrivateHosts = true, true }
	stop := e.restart()
	c := e.externalSecrets()
	refused := "the engine's own identity is for ClusterSecretStores"
	for i, tc := range []struct{ kind, want string }{{"SecretStore", refused}, {"ClusterSecretStore", refused}, {"ClusterSecretStore", "Valid"}} {
		kind, want := tc.kind, tc.want
		if i == 2 {
			stop()
			e.adjust = func(c *Config) { c.Secrets, c.PrivateHosts, c.InCluster = true, true, true }
			e.restart()
		}
		one := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(fmt.Appendf(nil, storeOfTheEngine, kind, e.namespace), &one.Object); err != nil {
			t.Fatal(err)
		}
		if kind == "SecretStore" {
			one.SetNamespace(e.namespace)
		}
		embeddedtest.Eventually(t, func(ctx context.Context) error { return client.IgnoreAlreadyExists(c.Create(ctx, one)) })
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil {
				return err
			}
			if said := fmt.Sprint(one.Object["status"]); !strings.Contains(said, want) {
				return fmt.Errorf("%s says %s", kind, said)
			}
			return nil
		})
	}
}

// logs waits for a line of the log that has words.
func (e *engine) logs(logged *records, words ...string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		logged.mu.Lock()
		defer logged.mu.Unlock()
		for line := range strings.Lines(logged.text.String()) {
			if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
				return nil
			}
		}
		return fmt.Errorf("no line of the log has %q", words)
	})
}

// externalSecrets is a client that knows External Secrets' kinds.
func (e *engine) externalSecrets() client.Client {
	e.t.Helper()
	scheme := runtime.NewScheme()
	if err := esv1.AddToScheme(scheme); err != nil {
		e.t.Fatal(err)
	}
	c, err := client.New(e.hub, client.Options{Scheme: scheme})
	if err != nil {
		e.t.Fatal(err)
	}
	return c
}

func (e *engine) secretHas(name, key, want string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, e.secretIs(name, key, want))
}

func (e *engine) secretIs(name, key, want string) func(context.Context) error {
	return func(ctx context.Context) error {
		var secret corev1.Secret
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, &secret); err != nil {
			return err
		}
		if got := string(secret.Data[key]); got != want {
			return fmt.Errorf("%s is %q", key, got)
		}
		return nil
	}
}
