package secrets

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/test/await"
)

// example is examples/secrets, beside a Vault, and its clusters.
type example struct {
	t          *testing.T
	dir, state string
	vault      vault
	hub        dynamic.Interface
	dev        kubernetes.Interface
	kinds      dynamic.Interface
}

// TestExample starts what `make up-secrets` does, has a value rotated in Vault arrive in
// a pod, and takes an entry away.
func TestExample(t *testing.T) {
	e := &example{t: t, dir: t.TempDir(), state: t.TempDir()}
	if err := os.CopyFS(e.dir, os.DirFS("../../examples/secrets")); err != nil {
		t.Fatal(err)
	}
	e.vault = newVault(t, "--setup", filepath.Join(e.dir, "vault.yaml"), "--kubeconfig", filepath.Join(e.state, "secrets/kubeconfig"))
	e.replace("clusters/dev.yaml", "http://127.0.0.1:8200", e.vault.address)
	t.Cleanup(func() { _, _ = e.causeway(context.WithoutCancel(t.Context()), "down") })
	out, err := e.causeway(t.Context(), "up", "--secrets", "--detach")
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, e.log())
	}
	e.connect()
	for _, step := range []struct {
		name string
		does func(*testing.T, *example)
	}{{"Values", hasValues}, {"Waves", followsWaves}, {"Rotates", rotates}, {"Keeps", keeps}, {"SaysNoValue", saysNoValue}} {
		if !t.Run(step.name, func(t *testing.T) {
			e.t, e.vault.t = t, t
			step.does(t, e)
		}) {
			return // the next step builds on this one
		}
	}
}

func (e *example) replace(name, old, by string) {
	e.t.Helper()
	path := filepath.Join(e.dir, name)
	was, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(was, []byte(old)) {
		e.t.Fatalf("%s has no %s: %v", name, old, err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(was, []byte(old), []byte(by)), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

func (e *example) causeway(ctx context.Context, command string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, await.Limit)
	defer cancel()
	args = append([]string{command, "--file", filepath.Join(e.dir, "causeway.yaml"), "--state-dir", e.state}, args...)
	cmd := exec.CommandContext(ctx, program(e.t, "causeway"), args...)
	cmd.WaitDelay = time.Second // the fleet holds on to nothing of it
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (e *example) log() string {
	text, _ := os.ReadFile(filepath.Join(e.state, "secrets/up.log"))
	return string(text)
}

func (e *example) connect() {
	e.t.Helper()
	var err error
	if e.hub, err = dynamic.NewForConfig(e.config("hub")); err != nil {
		e.t.Fatal(err)
	}
	if e.kinds, err = dynamic.NewForConfig(e.config("dev")); err != nil {
		e.t.Fatal(err)
	}
	if e.dev, err = kubernetes.NewForConfig(e.config("dev")); err != nil {
		e.t.Fatal(err)
	}
}

func (e *example) config(cluster string) *rest.Config {
	e.t.Helper()
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: filepath.Join(e.state, "secrets/kubeconfig")}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: cluster}).ClientConfig()
	if err != nil {
		e.t.Fatal(err)
	}
	return config
}

func (e *example) secret(ctx context.Context, namespace, name, key string) (string, error) {
	secret, err := e.dev.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return string(secret.Data[key]), nil
}

func hasValues(t *testing.T, e *example) {
	for _, tc := range []struct{ namespace, name, key, has string }{
		{"shop", "database", "url", "postgres://shop:example-password@db.example.com:5432/shop"},
		{"external-dns", "aws", "credentials", "aws_secret_access_key = example-access-key"},
		{"ingress-nginx", "metrics-auth", "auth", "metrics:$2a$"},
		{"grafana", "admin", "admin-user", "admin"},
	} {
		got, err := e.secret(t.Context(), tc.namespace, tc.name, tc.key)
		if err != nil || !strings.Contains(got, tc.has) {
			t.Errorf("Secret %s/%s: %q has no %q (%v)", tc.namespace, tc.name, got, tc.has, err)
		}
	}
}

// followsWaves: no Application of a wave is made before the ExternalSecrets of the wave before it are ready.
func followsWaves(t *testing.T, e *example) {
	made := map[string]time.Time{}
	apps, err := e.hub.Resource(v1alpha1.ApplicationGVR).Namespace("argocd").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, app := range apps.Items {
		made[app.GetName()] = app.GetCreationTimestamp().Time
	}
	for _, tc := range []struct{ namespace, name, before string }{
		{"external-dns", "aws", "dev-ingress-nginx"}, {"ingress-nginx", "metrics-auth", "dev-shop"}, {"ingress-nginx", "metrics-auth", "dev-grafana"},
	} {
		secret, err := e.dev.CoreV1().Secrets(tc.namespace).Get(t.Context(), tc.name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if at, there := made[tc.before]; !there || secret.CreationTimestamp.After(at) {
			t.Errorf("Application %s is of %s, before Secret %s/%s, which is of %s", tc.before, at, tc.namespace, tc.name, secret.CreationTimestamp)
		}
	}
}

func (e *example) rotate(password string) {
	e.vault.has(http.MethodPost, "platform/data/dev/shop/database", map[string]any{
		"data": map[string]any{"user": "shop", "password": password, "host": "db.example.com"},
	})
}

// rotates changes a password in Vault: the pods that run in the end have started after the Secret had it.
func rotates(t *testing.T, e *example) {
	before, err := e.pods(t.Context())
	if err != nil || len(before) == 0 {
		t.Fatalf("the shop has the pods %v (%v)", before, err)
	}
	e.rotate("rotated-password")
	await.Until(t, func(ctx context.Context) error {
		url, err := e.secret(ctx, "shop", "database", "url")
		if err != nil || !strings.Contains(url, "rotated-password") {
			return fmt.Errorf("the Secret has not the new password (%w)", err)
		}
		now, err := e.pods(ctx)
		if err != nil {
			return err
		}
		if len(now) != len(before) || slices.ContainsFunc(now, func(name string) bool { return slices.Contains(before, name) }) {
			return fmt.Errorf("the shop has the pods %v, and had %v", now, before)
		}
		return e.settled(ctx, "dev-shop")
	})
}

// pods are those of the shop that are ready; an error while there are others.
func (e *example) pods(ctx context.Context) ([]string, error) {
	list, err := e.dev.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, pod := range list.Items {
		ready := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		if !ready {
			return nil, fmt.Errorf("pod %s is not ready", pod.Name)
		}
		names = append(names, pod.Name)
	}
	return names, nil
}

func (e *example) settled(ctx context.Context, name string) error {
	app, err := e.hub.Resource(v1alpha1.ApplicationGVR).Namespace("argocd").Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	sync, _, _ := unstructured.NestedString(app.Object, "status", "sync", "status")
	health, _, _ := unstructured.NestedString(app.Object, "status", "health", "status")
	if sync != "Synced" || health != "Healthy" {
		return fmt.Errorf("%s is %s and %s", name, sync, health)
	}
	return nil
}

// externalSecrets is the resource of ExternalSecrets.
var externalSecrets = schema.GroupVersionResource{Group: esv1.GroupVersion.Group, Version: esv1.GroupVersion.Version, Resource: "externalsecrets"}

// keeps takes the entry out of Vault: the Secret stays as it is, and the ExternalSecret says since when.
func keeps(t *testing.T, e *example) {
	e.vault.has(http.MethodDelete, "platform/metadata/dev/shop/database", nil)
	await.Until(t, func(ctx context.Context) error {
		one, err := e.kinds.Resource(externalSecrets).Namespace("shop").Get(ctx, "database", metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(one.Object, "status", "conditions")
		if said := fmt.Sprint(conditions); !strings.Contains(said, "status:False") || !strings.Contains(said, "Secret does not exist") {
			return fmt.Errorf("the ExternalSecret says %s", said)
		}
		return nil
	})
	url, err := e.secret(t.Context(), "shop", "database", "url")
	if err != nil || !strings.Contains(url, "rotated-password") {
		t.Errorf("the Secret has %q (%v)", url, err)
	}
	e.rotate("again-password")
	await.Until(t, func(ctx context.Context) error {
		if err := e.settled(ctx, "dev-shop"); err != nil {
			return err
		}
		if url, err := e.secret(ctx, "shop", "database", "url"); err != nil || !strings.Contains(url, "again-password") {
			return fmt.Errorf("the Secret has not the password of the entry that came back (%w)", err)
		}
		return nil
	})
}

// saysNoValue looks at all that the run left behind, but for Secrets: the engine's log, and what the hub's objects say.
func saysNoValue(t *testing.T, e *example) {
	said := []string{e.log()}
	for _, resource := range []schema.GroupVersionResource{v1alpha1.ApplicationGVR, {Version: "v1", Resource: "events"}} {
		list, err := e.hub.Resource(resource).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, fmt.Sprint(list.Items))
	}
	for _, resource := range []schema.GroupVersionResource{externalSecrets, {Version: "v1", Resource: "events"}, {Group: "apps", Version: "v1", Resource: "deployments"}} {
		list, err := e.kinds.Resource(resource).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, fmt.Sprint(list.Items))
	}
	for _, value := range []string{"example-password", "rotated-password", "again-password", "example-access-key", "example-metrics"} {
		if strings.Contains(strings.Join(said, "\n"), value) {
			t.Errorf("the value %s is outside of its Secret", value)
		}
	}
}
