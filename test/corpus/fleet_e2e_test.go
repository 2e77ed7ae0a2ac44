//go:build e2e

package corpus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/test/await"
)

// members is the size of the fleet: a hub and three spokes, in the order of a suite's Secrets.
const members = 4

// nodes of each cluster: a node takes 110 pods.
const nodes = 4

// agent tells requests of the test from those of the engine in audit logs.
const agent = "corpus-test"

// fleet is a hub and its spokes, empty but for the engine's definitions.
type fleet struct {
	configs []*rest.Config
	clients []client.Client
	audits  []string
}

func startFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{configs: make([]*rest.Config, members), clients: make([]client.Client, members), audits: make([]string, members)}
	dir := t.TempDir()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for i := range members {
		f.audits[i] = filepath.Join(dir, fmt.Sprintf("audit-%d.log", i))
		group.Go(func() error { return f.start(ctx, t, i) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := install.Definitions(t.Context(), f.configs[0]); err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: control}}
	if err := f.clients[0].Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clusters started in %s", members, time.Since(begin).Round(100*time.Millisecond))
	return f
}

func (f *fleet) start(ctx context.Context, t *testing.T, i int) error {
	cluster, err := embedded.Start(ctx, embedded.Options{Name: fmt.Sprintf("member-%d", i), Nodes: nodes, AuditLog: f.audits[i], ReadyWithin: await.Limit, StopWithin: await.Limit})
	if err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Log(err) // it is over: that says nothing of what was tested
		}
	})
	if f.configs[i], err = cluster.RESTConfig(); err != nil {
		return err
	}
	mine := rest.CopyConfig(f.configs[i])
	mine.UserAgent = agent
	f.clients[i], err = client.New(mine, client.Options{Scheme: scheme()})
	return err
}

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // cannot happen: the types are compiled in
		}
	}
	return s
}

// connect lets Secrets lead to the clusters of the fleet.
func (f *fleet) connect(secrets []*corev1.Secret) error {
	if len(secrets) != members {
		return fmt.Errorf("%d clusters are described, and there are %d", len(secrets), members)
	}
	for i, s := range secrets {
		if i == 0 {
			continue // the hub is known by the address that the Secret has
		}
		cfg := rest.CopyConfig(f.configs[i])
		if err := rest.LoadTLSFiles(cfg); err != nil {
			return err
		}
		text, err := json.Marshal(map[string]any{
			"bearerToken":     cfg.BearerToken,
			"tlsClientConfig": map[string]any{"caData": cfg.CAData, "certData": cfg.CertData, "keyData": cfg.KeyData},
		})
		if err != nil {
			return err
		}
		s.Data["server"], s.Data["config"] = []byte(cfg.Host), text
	}
	return nil
}

// startEngine runs an engine over the hub until stop is called, with a log of its own.
func (f *fleet) startEngine(t *testing.T, mirrors []source.Mirror, logFile string) (made *app.Engine, stop func()) {
	t.Helper()
	file, err := os.Create(logFile)
	if err != nil {
		t.Fatal(err)
	}
	made, err = app.New(app.Config{
		Hub: f.configs[0], Namespace: control, CacheDir: t.TempDir(), Interval: time.Hour, LocalInterval: 100 * time.Millisecond, StopWithin: await.Limit,
		Mirrors: mirrors, Log: slog.New(slog.NewTextHandler(file, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- made.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := errors.Join(<-done, file.Close()); err != nil {
			t.Errorf("the engine ended badly: %v", err)
		}
	}
	t.Cleanup(stop)
	return made, stop
}

// watchHub keeps the hub's Applications and ApplicationSets in memory, so that looking at them costs nothing.
func (f *fleet) watchHub(t *testing.T) client.Reader {
	t.Helper()
	mine := rest.CopyConfig(f.configs[0])
	mine.UserAgent = agent
	hub, err := cache.New(mine, cache.Options{Scheme: scheme(), DefaultNamespaces: map[string]cache.Config{control: {}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- hub.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return hub
}
