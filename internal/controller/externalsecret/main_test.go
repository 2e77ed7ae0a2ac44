package externalsecret_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/controller/secretfleet"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/generator"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
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
		return prepare(context.Background())
	}))
}

// prepare installs the kinds, and reconciles them until the tests are over.
func prepare(ctx context.Context) error {
	all, err := deploy.SecretCRDs()
	if err != nil {
		return err
	}
	for _, crd := range all {
		if err := kube.Create(ctx, crd); err != nil {
			return fmt.Errorf("%s: %w", crd.Name, err)
		}
	}
	if err := served(ctx, all); err != nil {
		return err
	}
	member := secretfleet.Member{
		Config: config, Providers: map[string]store.Factory{fake.Name: fake.Open, "broken": openBroken}, Class: "causeway",
		Makers:  map[string]generator.Maker{"Password": generator.Password},
		Lenders: map[string]generator.Lender{"VaultDynamicSecret": lenders}, Grace: time.Second, Compute: compute.NewPool(), Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	go func() {
		if err := member.Run(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return nil
}

// broken is a store that fails with another text each time, as one does whose errors have ports in them.
type broken struct{ fake.Provider }

var tries atomic.Int32

func openBroken(context.Context, json.RawMessage, store.Around) (provider.Reader, error) {
	return broken{}, nil
}

func (broken) Read(context.Context, provider.Ref) (entry.Entry, error) {
	return entry.Entry{}, fmt.Errorf("connection %d is reset", tries.Add(1))
}

// served waits until the API server serves kinds.
func served(ctx context.Context, all []*apiextensionsv1.CustomResourceDefinition) error {
	for _, crd := range all {
		for {
			var now apiextensionsv1.CustomResourceDefinition
			if err := kube.Get(ctx, client.ObjectKeyFromObject(crd), &now); err != nil {
				return err
			}
			if established(now) {
				break
			}
		}
	}
	return nil
}

func established(crd apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range crd.Status.Conditions {
		if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}
