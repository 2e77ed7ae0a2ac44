package secrets

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/test/await"
)

// transit is what the plugin may do.
const transit = `
path "transit/encrypt/causeway" { capabilities = ["update"] }
path "transit/decrypt/causeway" { capabilities = ["update"] }
`

// TestAtRestWithVault has a real API server encrypt Secrets by causeway kms with a key of a real Vault, rotates the key,
// takes the old version away, and has Vault go away. The bytes of the datastore tell what was encrypted with which key.
func TestAtRestWithVault(t *testing.T) {
	v := newVault(t)
	v.has(http.MethodPost, "sys/policies/acl/kms", map[string]any{"policy": transit})
	v.has(http.MethodPost, "sys/mounts/transit", map[string]any{"type": "transit"})
	v.has(http.MethodPost, "transit/keys/causeway", nil)
	v.has(http.MethodPost, "sys/auth/approle", map[string]any{"type": "approle"})
	v.has(http.MethodPost, "auth/approle/role/kms", map[string]any{"token_policies": "kms"})
	role := text(v.has(http.MethodGet, "auth/approle/role/kms/role-id", nil), "data", "role_id")
	secret := text(v.has(http.MethodPost, "auth/approle/role/kms/secret-id", nil), "data", "secret_id")

	folder, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	file, socket := filepath.Join(folder, "id"), filepath.Join(folder, "s")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	address := strings.Replace(v.address, "http://", "vault+http://", 1) + "/transit/causeway?approle=" + role + "&secret-id-file=" + file
	plugin := started(t, "causeway", "API servers can encrypt", "kms", "--key="+address, "--socket="+socket)

	api := started(t, "causeway-kube", "ready: ", "--data-dir="+data, "--api-only", "--kms-socket="+socket)
	client := clientOf(t, data)
	keep(t, client, "one", "planted-one")
	keep(t, client, "two", "planted-two")
	api.end(t)
	if !inStore(t, data, "vault:transit/causeway:v1") || inStore(t, data, "planted-") {
		t.Error("the Secrets are not encrypted with the first version of the key")
	}

	v.has(http.MethodPost, "transit/keys/causeway/rotate", nil)
	api = started(t, "causeway-kube", "ready: ", "--data-dir="+data, "--api-only", "--kms-socket="+socket)
	client = clientOf(t, data)
	has(t, client, "one", "planted-one")
	has(t, client, "two", "planted-two")
	keep(t, client, "one", "planted-one")
	keep(t, client, "two", "planted-two")
	v.has(http.MethodPost, "transit/keys/causeway/config", map[string]any{"min_decryption_version": 2})
	api.end(t)
	if !inStore(t, data, "vault:transit/causeway:v2") || inStore(t, data, "planted-") {
		t.Error("written again, the Secrets are not encrypted with the new version of the key")
	}

	api = started(t, "causeway-kube", "ready: ", "--data-dir="+data, "--api-only", "--kms-socket="+socket)
	client = clientOf(t, data)
	has(t, client, "one", "planted-one")
	has(t, client, "two", "planted-two")

	v.has(http.MethodPut, "sys/seal", nil)
	await.Until(t, func(ctx context.Context) error {
		if _, err := client.Discovery().RESTClient().Get().AbsPath("/healthz/kms-providers").DoRaw(ctx); err == nil {
			return errors.New("the API server does not see that Vault is away")
		}
		return nil
	})
	has(t, client, "one", "planted-one") // the seed is known
	keep(t, client, "one", "planted-again")
	api.end(t)
	plugin.end(t)
	for name, said := range map[string]string{"the API server": api.said(), "the plugin": plugin.said()} {
		for _, planted := range []string{"planted-", secret} {
			if strings.Contains(said, planted) {
				t.Errorf("%s tells a secret:\n%s", name, said)
			}
		}
	}
	if said := plugin.said(); !strings.Contains(said, "Vault is sealed") || !strings.Contains(said, "vault:transit/causeway:v2") {
		t.Errorf("the plugin does not tell what became of its key:\n%s", said)
	}
}

// process is one that prints.
type process struct {
	*exec.Cmd

	mu   sync.Mutex
	text bytes.Buffer
	done chan struct{}
}

// started returns when a program says that it is ready.
func started(t *testing.T, name, ready string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(program(t, name), args...), done: make(chan struct{})}
	output, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stdout, p.Stderr = input, input
	if err := errors.Join(p.Start(), input.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill(); <-p.done; _ = p.Wait() })
	told := make(chan struct{})
	go func() {
		defer close(p.done)
		once := sync.OnceFunc(func() { close(told) })
		for lines := bufio.NewScanner(output); lines.Scan(); {
			p.mu.Lock()
			fmt.Fprintln(&p.text, lines.Text())
			p.mu.Unlock()
			if strings.Contains(lines.Text(), ready) {
				once()
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	select {
	case <-told:
	case <-p.done:
		t.Fatalf("%s ended:\n%s", name, p.said())
	case <-ctx.Done():
		t.Fatalf("%s is not ready:\n%s", name, p.said())
	}
	return p
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *process) end(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.done
	if err := p.Wait(); err != nil {
		t.Errorf("it ended with %v:\n%s", err, p.said())
	}
}

func clientOf(t *testing.T, data string) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(data, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// keep writes a Secret, whether it is there or not.
func keep(t *testing.T, client kubernetes.Interface, name, value string) {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"value": value}}
	all := client.CoreV1().Secrets("default")
	_, err := all.Update(t.Context(), secret, metav1.UpdateOptions{})
	if err != nil {
		_, err = all.Create(t.Context(), secret, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func has(t *testing.T, client kubernetes.Interface, name, value string) {
	t.Helper()
	secret, err := client.CoreV1().Secrets("default").Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || string(secret.Data["value"]) != value {
		t.Errorf("the Secret %s cannot be read: %v", name, err)
	}
}

// inStore reports whether a file of the datastore has a text.
func inStore(t *testing.T, data, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(data, "etcd"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all, err := os.ReadFile(path)
		found = found || bytes.Contains(all, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
