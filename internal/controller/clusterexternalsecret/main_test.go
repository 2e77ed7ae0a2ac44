package clusterexternalsecret_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/secretfleet"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
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
		for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, esv1.AddToScheme, apiextensionsv1.AddToScheme} {
			if err := add(scheme); err != nil {
				return err
			}
		}
		if kube, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
			return err
		}
		f := &secretfleet.Fleet{Pause: time.Second, Member: secretfleet.Member{
			Providers: map[string]store.Factory{fake.Name: fake.Open}, Class: "causeway", Compute: compute.NewPool(),
			Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		}}
		f.Set(context.Background(), "one", "one", 1, config) // it defines the kinds
		return nil
	}))
}

// served waits until the kinds are there.
func served(t *testing.T) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error { return kube.List(ctx, &esv1.ClusterExternalSecretList{}) })
}

// namespaces are some with a label that nobody else has, named after the test's own.
func namespaces(t *testing.T, n int, labels map[string]string) (team string, names []string) {
	t.Helper()
	team = embeddedtest.Namespace(t, config)
	for i := range n {
		one := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%03d", team, i), Labels: map[string]string{"team": team}}}
		for key, value := range labels {
			one.Labels[key] = value
		}
		if err := kube.Create(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = kube.Delete(context.WithoutCancel(t.Context()), one) })
		names = append(names, one.Name)
	}
	return team, names
}

// wanted is what a test wants in the namespaces of its team, and more if change says so.
func wanted(t *testing.T, team string, change func(*esv1.ClusterExternalSecretSpec)) *esv1.ClusterExternalSecret {
	t.Helper()
	one := &esv1.ClusterExternalSecret{ObjectMeta: metav1.ObjectMeta{Name: team}, Spec: esv1.ClusterExternalSecretSpec{
		NamespaceSelectors: []*metav1.LabelSelector{{MatchLabels: map[string]string{"team": team}}},
		ExternalSecretSpec: esv1.ExternalSecretSpec{
			SecretStoreRef: esv1.SecretStoreRef{Name: "s"}, Data: []esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "k"}}},
		},
	}}
	if change != nil {
		change(&one.Spec)
	}
	if err := kube.Create(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kube.Delete(context.WithoutCancel(t.Context()), one) })
	return one
}

// says waits for a status: the namespaces that are provisioned and those that failed, and the type of the last condition.
func says(t *testing.T, name string, provisioned, failed int, last, text string) *esv1.ClusterExternalSecret {
	t.Helper()
	one := &esv1.ClusterExternalSecret{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := kube.Get(ctx, client.ObjectKey{Name: name}, one); err != nil {
			return err
		}
		s := one.Status
		if len(s.Conditions) == 0 {
			return errors.New("nothing is said")
		}
		c := s.Conditions[len(s.Conditions)-1]
		if len(s.ProvisionedNamespaces) != provisioned || len(s.FailedNamespaces) != failed || c.Type != last || c.Status != "True" || !strings.Contains(c.Message, text) {
			return fmt.Errorf("it says %+v", s)
		}
		return nil
	})
	return one
}

func there(namespace, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		return kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &esv1.ExternalSecret{})
	}
}

func gone(namespace, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := there(namespace, name)(ctx); err != nil {
			return client.IgnoreNotFound(err)
		}
		return fmt.Errorf("ExternalSecret %s/%s is still there", namespace, name)
	}
}

func change(t *testing.T, o client.Object, patch string) {
	t.Helper()
	if err := kube.Patch(t.Context(), o, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
}
