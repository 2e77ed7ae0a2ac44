package secretrotation_test

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/secretfleet"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
	"github.com/causeway-gitops/causeway/test/await"
)

var (
	config *rest.Config
	kube   client.Client
	logged = &lines{}
)

func TestMain(m *testing.M) {
	compute.Worker()
	os.Exit(run(m))
}

// run reconciles the cluster's ExternalSecrets until the tests are over.
func run(m *testing.M) int {
	fleet := &secretfleet.Fleet{Pause: time.Second, Member: secretfleet.Member{
		Providers: map[string]store.Factory{fake.Name: fake.Open}, Class: "causeway", Compute: compute.NewPool(), Quiet: time.Second,
		Log: slog.New(slog.NewTextHandler(logged, nil)),
	}}
	return embeddedtest.MainWith(m, embedded.Options{}, func(c *embedded.Cluster) (err error) {
		if config, err = c.RESTConfig(); err != nil {
			return err
		}
		scheme := runtime.NewScheme()
		for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, esv1.AddToScheme, apiextensionsv1.AddToScheme} {
			if err := add(scheme); err != nil {
				return err
			}
		}
		if kube, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
			return err
		}
		fleet.Set(context.Background(), "one", "one", 1, config)
		return wait.PollUntilContextTimeout(context.Background(), await.Interval, await.Limit, true, func(ctx context.Context) (served bool, _ error) {
			return kube.List(ctx, &esv1.ExternalSecretList{}) == nil, nil
		})
	})
}
