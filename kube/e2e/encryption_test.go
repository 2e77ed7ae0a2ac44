package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/kube/internal/await"
	"github.com/causeway-gitops/causeway/kube/internal/kms"
	"github.com/causeway-gitops/causeway/kube/internal/kms/agefile"
)

// Prefixes of what API servers encrypt, by the name of the plugin.
const (
	byOwn    = "k8s:enc:kms:v2:causeway-kube:"
	byPlugin = "k8s:enc:kms:v2:kms:"
)

// TestSecretsAtRest reads the bytes of the datastore: of a cluster that was there before Secrets were encrypted, after
// that, and after its key was replaced and taken away.
func TestSecretsAtRest(t *testing.T) {
	temporary, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	t.Setenv("TMPDIR", temporary)
	key := filepath.Join(data, "encryption.key")

	p := start(t, "--data-dir="+data, "--api-only", "--encryption=off")
	create(t, p.client(t), "before", "planted-before")
	ended(t, p)
	if _, err := os.Stat(key); err == nil {
		t.Error("a key was made although nothing is encrypted")
	}
	if !stored(t, data, "planted-before") || stored(t, data, byOwn) {
		t.Error("without encryption, the value is not in the datastore: nothing below shows anything")
	}

	p = start(t, "--data-dir="+data, "--api-only")
	client := p.client(t)
	holds(t, client, "before", "planted-before") // of an earlier version
	create(t, client, "after", "planted-after")
	if value := read(t, temporary, "after"); !bytes.HasPrefix(value, []byte(byOwn)) {
		t.Errorf("it is stored as %.40q", value)
	}
	again(t, client, "before")
	if value := read(t, temporary, "before"); !bytes.HasPrefix(value, []byte(byOwn)) {
		t.Errorf("written again, it is stored as %.40q", value)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the key: %v, %v", info.Mode(), err)
	}
	ended(t, p)
	if stored(t, data, "planted-after") || !stored(t, data, byOwn) {
		t.Error("the value is in the datastore as it is")
	}

	p = start(t, "--data-dir="+data, "--api-only") // an orderly start, with the key of before
	client = p.client(t)
	holds(t, client, "before", "planted-before")
	holds(t, client, "after", "planted-after")
	rotate(t, client, temporary, key)
	ended(t, p)

	text, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	newest, _, _ := strings.Cut(string(text)[1:], "# created")
	if err := os.WriteFile(key, []byte("#"+newest), 0o600); err != nil {
		t.Fatal(err)
	}
	p = start(t, "--data-dir="+data, "--api-only")
	client = p.client(t)
	holds(t, client, "before", "planted-before")
	holds(t, client, "after", "planted-after")
	if stored(t, data, "planted-after") {
		t.Error("after the rotation the value is in the datastore as it is")
	}
	if err := p.stop(t, syscall.SIGKILL); err == nil {
		t.Error("a killed process exited well")
	}

	p = start(t, "--data-dir="+data, "--api-only", "--encryption=off") // what was encrypted stays readable
	client = p.client(t)
	holds(t, client, "after", "planted-after")
	again(t, client, "after")
	if value := read(t, temporary, "after"); !bytes.Contains(value, []byte("planted-after")) {
		t.Errorf("written again without encryption, it is stored as %.40q", value)
	}
	ended(t, p)
	refuses(t, data, key)
}

// rotate puts a new key into the file of a running cluster, and has one of two Secrets be encrypted with it.
func rotate(t *testing.T, client kubernetes.Interface, temporary, key string) {
	t.Helper()
	id, err := agefile.Add(key, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	staysOld(t, client, temporary, key, id)
	eventually(t, func() error {
		// Asked how it is, an API server asks the plugin, which tells the new key.
		if _, err := client.Discovery().RESTClient().Get().AbsPath("/healthz/kms-providers").DoRaw(t.Context()); err != nil {
			return err
		}
		again(t, client, "after")
		if value := read(t, temporary, "after"); !bytes.Contains(value, []byte(id)) {
			return fmt.Errorf("it is not encrypted with the new key %s", id)
		}
		return nil
	})
	if value := read(t, temporary, "before"); bytes.Contains(value, []byte(id)) {
		t.Error("what nobody wrote again is encrypted with the new key")
	}
	holds(t, client, "before", "planted-before")
	holds(t, client, "after", "planted-after")
	rewrite(t, client)
	if value := read(t, temporary, "before"); !bytes.Contains(value, []byte(id)) {
		t.Error("written again, it is not encrypted with the new key")
	}
}

// staysOld: while the new key cannot be used, what is written again has the old one, without an error. The guide has
// people look at what is stored before they take the old key away, because of this.
func staysOld(t *testing.T, client kubernetes.Interface, temporary, key, id string) {
	t.Helper()
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if _, err := client.Discovery().RESTClient().Get().AbsPath("/healthz/kms-providers").DoRaw(t.Context()); err == nil {
			return errors.New("the API server does not see that the key cannot be used")
		}
		return nil
	})
	if said, err := os.ReadFile(filepath.Join(filepath.Dir(key), "causeway-kube.log")); err != nil || !bytes.Contains(said, []byte("chmod 600")) {
		t.Errorf("the log does not say what to do about the key: %v", err)
	}
	rewrite(t, client)
	for _, name := range []string{"before", "after"} {
		if value := read(t, temporary, name); !bytes.HasPrefix(value, []byte(byOwn)) || bytes.Contains(value, []byte(id)) {
			t.Errorf("%s is encrypted with a key that cannot be used, or not at all", name)
		}
	}
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
}

// rewrite writes all Secrets as they are, as kubectl get and kubectl replace do.
func rewrite(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	all, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range all.Items {
		if _, err := client.CoreV1().Secrets(secret.Namespace).Update(t.Context(), &secret, metav1.UpdateOptions{}); err != nil {
			t.Fatalf("%s cannot be written again: %v", secret.Name, err)
		}
	}
}

// refuses: a cluster whose key is gone gets no other one, with which nothing could be read.
func refuses(t *testing.T, data, key string) {
	t.Helper()
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if said := fails(t, data); !strings.Contains(said, "chmod 600") {
		t.Errorf("others can read the key, and it says: %s", said)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if said := fails(t, data); !strings.Contains(said, key+" is gone") || !strings.Contains(said, "put it back") {
		t.Errorf("without its key it says: %s", said)
	}
}

func fails(t *testing.T, data string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	said, err := exec.CommandContext(ctx, binary(), "--data-dir="+data, "--api-only").CombinedOutput()
	if err == nil {
		t.Error("it ended well")
	}
	return string(said)
}

// TestPluginOfSomebodyElse has Secrets be encrypted by another process than the API server's, which goes and comes back.
func TestPluginOfSomebodyElse(t *testing.T) {
	temporary, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	t.Setenv("TMPDIR", temporary)
	folder := t.TempDir()
	key, socket := filepath.Join(folder, "key"), filepath.Join(folder, "s")
	if _, err := agefile.Add(key, time.Now()); err != nil {
		t.Fatal(err)
	}
	stop := plugin(t, key, socket)
	p := start(t, "--data-dir="+data, "--api-only", "--kms-socket="+socket)
	client := p.client(t)
	create(t, client, "one", "planted-one")
	if value := read(t, temporary, "one"); !bytes.HasPrefix(value, []byte(byPlugin)) {
		t.Errorf("it is stored as %.40q", value)
	}
	if _, err := os.Stat(filepath.Join(data, "encryption.key")); err == nil {
		t.Error("a key was made that encrypts nothing")
	}

	stop()
	eventually(t, func() error { // it asks each minute, or when it is asked and the last answer is not young
		_, err := client.Discovery().RESTClient().Get().AbsPath("/healthz/kms-providers").DoRaw(t.Context())
		if err == nil {
			return errors.New("the API server does not see that the plugin is away")
		}
		return nil
	})
	holds(t, client, "one", "planted-one") // the seed is known
	again(t, client, "one")

	stop = plugin(t, key, socket)
	defer stop()
	eventually(t, func() error {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/healthz/kms-providers").DoRaw(t.Context())
		return err
	})
	create(t, client, "two", "planted-two")
	ended(t, p)
	if stored(t, data, "planted-one") || stored(t, data, "planted-two") {
		t.Error("the values are in the datastore as they are")
	}
	p = start(t, "--data-dir="+data, "--api-only", "--kms-socket="+socket)
	holds(t, p.client(t), "two", "planted-two")
	ended(t, p)
	if said := fails(t, data); !strings.Contains(said, "start it again with that socket") {
		t.Errorf("without the socket it says: %s", said)
	}
}

// plugin serves a key as another process would.
func plugin(t *testing.T, key, path string) (stop func()) {
	t.Helper()
	k, err := agefile.Open(key)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := kms.Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- kms.New(k, kms.Options{}).Serve(ctx, socket) }()
	return func() {
		end()
		if err := errors.Join(<-done, socket.Close()); err != nil {
			t.Errorf("the plugin ended with %v", err)
		}
	}
}

func create(t *testing.T, client kubernetes.Interface, name, value string) {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"value": value}}
	if _, err := client.CoreV1().Secrets("default").Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, client kubernetes.Interface, name, value string) {
	t.Helper()
	secret, err := client.CoreV1().Secrets("default").Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || string(secret.Data["value"]) != value {
		t.Errorf("%s cannot be read: %v", name, err)
	}
}

// again writes a Secret as it is.
func again(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	secret, err := client.CoreV1().Secrets("default").Get(t.Context(), name, metav1.GetOptions{})
	if err == nil {
		_, err = client.CoreV1().Secrets("default").Update(t.Context(), secret, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatalf("%s cannot be written again: %v", name, err)
	}
}

func ended(t *testing.T, p *process) {
	t.Helper()
	if err := p.stop(t, syscall.SIGTERM); err != nil {
		t.Errorf("it exited with %v", err)
	}
}

// read is what the datastore of the running cluster has for a Secret.
func read(t *testing.T, temporary, name string) []byte {
	t.Helper()
	sockets, err := filepath.Glob(filepath.Join(temporary, "causeway-kube-*", "etcd.sock"))
	if len(sockets) == 0 { // where the path of temporary files is too long for a socket
		t.Fatalf("the datastore is not in %s: %v", temporary, err)
	}
	// One that was killed has left its own.
	newest := slices.MaxFunc(sockets, func(a, b string) int { return made(t, a).Compare(made(t, b)) })
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"unix://" + newest}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	found, err := client.Get(ctx, "/registry/secrets/default/"+name)
	if err != nil || len(found.Kvs) != 1 {
		t.Fatalf("%s is not stored: %v, %v", name, found, err)
	}
	return found.Kvs[0].Value
}

func made(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// stored reports whether any file of the datastore has a text, wherever it is.
func stored(t *testing.T, data, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(data, "etcd"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		bytesOf, err := os.ReadFile(path)
		found = found || bytes.Contains(bytesOf, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
