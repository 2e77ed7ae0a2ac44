package pushsecret_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	generators "github.com/causeway-gitops/causeway/api/externalsecrets/generators/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/secretfleet"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/generator"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

var (
	config *rest.Config
	kube   client.Client
)

func TestMain(m *testing.M) {
	compute.Worker()
	os.Exit(embeddedtest.MainWith(m, embedded.Options{}, func(c *embedded.Cluster) (err error) {
		if config, err = c.RESTConfig(); err != nil {
			return err
		}
		scheme := runtime.NewScheme()
		for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, esv1.AddToScheme, v1alpha1.AddToScheme} {
			if err := add(scheme); err != nil {
				return err
			}
		}
		scheme.AddKnownTypes(generatorsVersion, &generators.Password{})
		metav1.AddToGroupVersion(scheme, generatorsVersion)
		if kube, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
			return err
		}
		f := &secretfleet.Fleet{Pause: time.Second, Member: secretfleet.Member{
			Providers: map[string]store.Factory{"memory": openMemory, "readonly": openReader}, Class: "causeway", Compute: compute.NewPool(),
			Makers: map[string]generator.Maker{"Password": generator.Password}, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1})),
		}}
		f.Set(context.Background(), "one", "one", 1, config) // it defines the kinds
		return nil
	}))
}

// memory is a store whose entries are kept by their test, under the name that the SecretStore gives.
type memory struct {
	mu      sync.Mutex
	entries map[string]string
	writes  int
	// fails is what each write ends with; $VALUE in it is the value.
	fails string
}

var memories sync.Map

func memoryOf(name string) *memory {
	one, _ := memories.LoadOrStore(name, &memory{entries: map[string]string{}})
	return one.(*memory)
}

func openMemory(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
	var config struct {
		Name   string                  `json:"name"`
		Secret *esv1.SecretKeySelector `json:"secretRef"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	if config.Secret != nil {
		if _, err := around.Secret(ctx, *config.Secret); err != nil {
			return nil, err
		}
	}
	return memoryOf(config.Name), nil
}

// reader cannot be written to.
type reader struct{ provider.Reader }

func openReader(context.Context, json.RawMessage, store.Around) (provider.Reader, error) {
	return reader{memoryOf("none")}, nil
}

func (m *memory) Read(_ context.Context, ref provider.Ref) (entry.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, is := m.entries[ref.Key]
	if !is {
		return entry.Entry{}, entry.ErrNotFound
	}
	return entry.Text([]byte(value)), nil
}

func (*memory) Find(context.Context, esv1.Find) (map[string][]byte, error) {
	return nil, errors.New("nobody searches")
}

func (m *memory) Put(_ context.Context, push provider.Push) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != "" {
		return errors.New(strings.ReplaceAll(m.fails, "$VALUE", string(push.Value)))
	}
	at := push.Key
	if push.Property != "" {
		at += "#" + push.Property
	}
	if value, is := m.entries[at]; is && value == string(push.Value) {
		return nil
	}
	m.writes++
	m.entries[at] = string(push.Value)
	return nil
}

func (m *memory) Delete(_ context.Context, target provider.Target) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != "" {
		return errors.New(m.fails)
	}
	at := target.Key
	if target.Property != "" {
		at += "#" + target.Property
	}
	delete(m.entries, at)
	return nil
}

func (m *memory) Exists(_ context.Context, target provider.Target) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := target.Key
	if target.Property != "" {
		at += "#" + target.Property
	}
	_, is := m.entries[at]
	return is, nil
}

func (m *memory) put(key, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[key] = value
}

func (m *memory) failing(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = text
}

func (m *memory) has() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.entries)
}

// hold waits until a store has just these entries.
func (m *memory) hold(t *testing.T, want map[string]string) {
	t.Helper()
	embeddedtest.Eventually(t, func(context.Context) error {
		if got := m.has(); !maps.Equal(got, want) {
			return fmt.Errorf("the store has %v, want %v", got, want)
		}
		return nil
	})
}

// setting is a namespace with a store of its own, and a Secret.
func setting(t *testing.T, data map[string]string) (namespace string, m *memory) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error { return kube.List(ctx, &v1alpha1.PushSecretList{}) })
	namespace = embeddedtest.Namespace(t, config)
	newStore(t, namespace, "s", namespace, nil)
	if data != nil {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "source"}, StringData: data})
	}
	return namespace, memoryOf(namespace)
}

func newStore(t *testing.T, namespace, name, of string, labels map[string]string) {
	t.Helper()
	create(t, &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}, Spec: esv1.SecretStoreSpec{
		Provider: map[string]apiextensionsv1.JSON{"memory": {Raw: []byte(`{"name":"` + of + `"}`)}},
	}})
}

func create(t *testing.T, o client.Object) {
	t.Helper()
	if err := kube.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// pushes creates a PushSecret of the Secret source to the store s; spec says more, or something else.
func pushes(t *testing.T, namespace, spec string) *v1alpha1.PushSecret {
	t.Helper()
	one := &v1alpha1.PushSecret{}
	if err := yaml.Unmarshal([]byte("spec: "+spec), one); err != nil {
		t.Fatal(err)
	}
	if one.Spec.SecretStoreRefs == nil {
		one.Spec.SecretStoreRefs = []v1alpha1.StoreRef{{Name: "s"}}
	}
	if !strings.Contains(spec, "selector: {secret") && !strings.Contains(spec, "selector: {generatorRef") {
		one.Spec.Selector.Secret = &v1alpha1.SecretSelector{Name: "source"}
	}
	one.Namespace, one.Name = namespace, "p"
	create(t, one)
	return one
}

// says waits for a status of the condition Ready with a text.
func says(t *testing.T, one *v1alpha1.PushSecret, status, text string) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := kube.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil {
			return err
		}
		for _, c := range one.Status.Conditions {
			if c.Type == "Ready" && c.Status == status && strings.Contains(c.Message, text) {
				return nil
			}
		}
		return fmt.Errorf("it says %+v, want %s %q", one.Status.Conditions, status, text)
	})
}

func patch(t *testing.T, o client.Object, text string) {
	t.Helper()
	if err := kube.Patch(t.Context(), o, client.RawPatch("application/merge-patch+json", []byte(text))); err != nil {
		t.Fatal(err)
	}
}

func gone(t *testing.T, o client.Object) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := kube.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return client.IgnoreNotFound(err)
		}
		return errors.New("it is still there")
	})
}
