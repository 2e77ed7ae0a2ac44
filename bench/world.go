package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/install"
)

const (
	namespace = "argocd"
	repoURL   = "https://git.example.com/bench/apps"
)

// world is a hub, a repository and an engine.
type world struct {
	apps int
	// manifests are those of one application.
	manifests func(app string, version int) string
	// silent is how many clusters there are that nothing answers for.
	silent int
	// flags of the engine beside those that it needs.
	flags   []string
	dir     string
	repo    string
	cluster *embedded.Cluster
	client  client.WithWatch
	engine  *engine
}

func newWorld(ctx context.Context, binary string, apps int) (w *world, err error) {
	w = &world{apps: apps, manifests: manifests}
	return w, w.begin(ctx, binary)
}

// begin makes the folder, the hub, the repository and the engine.
func (w *world) begin(ctx context.Context, binary string) (err error) {
	if w.dir, err = os.MkdirTemp("", "causeway-bench-"); err != nil {
		return err
	}
	if err := w.build(ctx, binary); err != nil {
		w.close()
		return err
	}
	return nil
}

func (w *world) build(ctx context.Context, binary string) (err error) {
	if err := w.makeRepo(ctx); err != nil {
		return err
	}
	kubeconfig := filepath.Join(w.dir, "kubeconfig")
	if w.cluster, err = embedded.Start(ctx, embedded.Options{Name: "hub", KubeconfigOut: kubeconfig}); err != nil {
		return err
	}
	if w.client, err = hubClient(ctx, w.cluster); err != nil {
		return err
	}
	listen, err := freePort(ctx)
	if err != nil {
		return err
	}
	w.engine, err = startEngine(ctx, binary, kubeconfig, filepath.Join(w.dir, "cache"), listen, repoURL+"="+w.repo, w.flags...)
	if err != nil {
		return err
	}
	return w.ready(ctx)
}

// hubClient installs the definitions, and makes the namespace of Applications.
func hubClient(ctx context.Context, cluster *embedded.Cluster) (client.WithWatch, error) {
	cfg, err := cluster.RESTConfig()
	if err != nil {
		return nil, err
	}
	if err := install.Definitions(ctx, cfg); err != nil {
		return nil, err
	}
	kinds := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(kinds), scheme.AddToScheme(kinds)); err != nil {
		return nil, err
	}
	cfg.QPS = -1
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: kinds})
	if err != nil {
		return nil, err
	}
	if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return nil, err
	}
	return c, aged(ctx, c)
}

// aged waits until the definition of Applications counts as old: the API server lets
// the first objects of a new one wait for seconds, which would count for the limits alone.
func aged(ctx context.Context, c client.Client) error {
	probe := applicationNamed("probe")
	probe.Spec.SyncPolicy = nil
	return errors.Join(c.Create(ctx, probe), c.Delete(ctx, probe))
}

// ready waits until the engine has read the hub.
func (w *world) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if w.engine.ready(ctx) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the engine does not become ready; its log is %s", w.engine.log.Name())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (w *world) close() {
	if w.engine != nil {
		w.engine.stop()
	}
	if w.cluster != nil {
		_ = w.cluster.Stop()
	}
	_ = os.RemoveAll(w.dir)
}

// makeRepo writes one folder an application into a real Git repository.
func (w *world) makeRepo(ctx context.Context) error {
	w.repo = filepath.Join(w.dir, "repo")
	for i := range w.apps {
		if err := w.write(filepath.Join("apps", appName(i), "all.yaml"), w.manifests(appName(i), 1)); err != nil {
			return err
		}
	}
	if err := w.git(ctx, "init", "--quiet", "--initial-branch=main"); err != nil {
		return err
	}
	return w.commit(ctx, "start")
}

func (w *world) write(name, content string) error {
	path := filepath.Join(w.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

func (w *world) commit(ctx context.Context, message string) error {
	if err := w.git(ctx, "add", "-A"); err != nil {
		return err
	}
	return w.git(ctx, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "--quiet", "-m", message)
}

func (w *world) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = w.repo
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

func freePort(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

func documents(text string) []string { return strings.Split(text, "---\n") }
