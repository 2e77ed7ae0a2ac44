package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/test/await"
)

var (
	hubConfig       *rest.Config
	kubeconfigOfHub string
)

func TestMain(m *testing.M) {
	hub.RenderWorker()
	jq.Worker()
	if os.Getenv(asEngine) != "" {
		if err := runAsEngine(); err != nil {
			slog.Error("the engine ended", "error", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(embeddedtest.MainWith(m, embedded.Options{}, func(c *embedded.Cluster) (err error) {
		kubeconfigOfHub = c.Kubeconfig()
		hubConfig, err = c.RESTConfig()
		return err
	}))
}

// engine is a running engine over one mirrored folder.
type engine struct {
	*Engine
	client.Client

	bench     *apptest.Bench
	hub       *rest.Config
	namespace string
	folder    string
	charts    string
	// adjust changes the configuration before the engine starts.
	adjust func(*Config)
	t      *testing.T
}

const (
	repoURL   = apptest.RepoURL
	chartsURL = "https://charts.example.com"
)

// start runs an engine of its own for a test, in a namespace of its own. Adjust
// changes its configuration.
func start(t *testing.T, files map[string]string, adjust ...func(*Config)) *engine {
	t.Helper()
	e := prepare(t, hubConfig, files)
	e.adjust = func(c *Config) {
		for _, a := range adjust {
			a(c)
		}
	}
	e.restart()
	return e
}

// prepare makes everything but the engine itself.
func prepare(t *testing.T, hubConfig *rest.Config, files map[string]string) *engine {
	t.Helper()
	b := apptest.New(t, hubConfig, install.Definitions, files)
	e := &engine{Client: b.Client, bench: b, t: t, hub: hubConfig, namespace: b.Namespace, folder: b.Folder, charts: t.TempDir()}
	for name, content := range map[string]string{"Chart.yaml": chartYAML, "values.yaml": "mode: standard\n", "templates/cm.yaml": chartTemplate} {
		put(t, filepath.Join(e.charts, "web", name), content)
	}
	return e
}

// restart starts the engine in this process.
func (e *engine) restart() (stop func()) {
	e.t.Helper()
	level := slog.LevelWarn
	if testing.Verbose() {
		level = slog.LevelInfo
	}
	cfg := Config{
		Hub: e.hub, Namespace: e.namespace, CacheDir: e.t.TempDir(), Interval: time.Hour, LocalInterval: 50 * time.Millisecond, StopWithin: await.Limit,
		Mirrors: []source.Mirror{{URL: repoURL, Path: e.folder}, {URL: chartsURL, Path: e.charts}},
		Log:     slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	}
	if e.adjust != nil {
		e.adjust(&cfg)
	}
	made, err := New(cfg)
	if err != nil {
		e.t.Fatal(err)
	}
	e.Engine = made
	return e.bench.Running(made.Run)
}

func (e *engine) write(name, content string) { e.t.Helper(); e.bench.Write(name, content) }

// atOnce makes several changes of the repository one.
func (e *engine) atOnce(change func()) {
	e.t.Helper()
	link := e.folder
	e.bench.AtOnce(func(folder string) {
		e.folder = folder
		change()
	})
	e.folder = link
}

func put(t *testing.T, path, content string) { t.Helper(); apptest.Put(t, path, content) }

func (e *engine) remove(name string) {
	e.t.Helper()
	if err := os.Remove(filepath.Join(e.folder, name)); err != nil {
		e.t.Fatal(err)
	}
}

// change edits the spec of an Application.
func (e *engine) change(name string, change func(*v1alpha1.Application)) {
	e.t.Helper()
	app := &v1alpha1.Application{}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: e.id(name)}, app); err != nil {
		e.t.Fatal(err)
	}
	before := app.DeepCopy()
	change(app)
	if err := e.Patch(e.t.Context(), app, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}

// looksAt has the engine look at applications once more: what it would do to them is done when this returns.
func (e *engine) looksAt(names ...string) {
	e.t.Helper()
	for _, name := range names {
		e.change(name, func(app *v1alpha1.Application) {
			annotate(app, v1alpha1.AnnotationRefresh, string(v1alpha1.RefreshTypeNormal))
		})
	}
	for _, name := range names {
		e.until(name, "looked at again", func(app *v1alpha1.Application) bool { return app.Annotations[v1alpha1.AnnotationRefresh] == "" })
	}
}

// noRetry makes a failed sync final at once.
func noRetry(app *v1alpha1.Application) {
	app.Spec.SyncPolicy.Retry = &v1alpha1.RetryStrategy{Limit: 0}
}

func condition(app *v1alpha1.Application, kind string) string {
	for _, c := range app.Status.Conditions {
		if c.Type == kind {
			return c.Message
		}
	}
	return ""
}

func (e *engine) exists(r v1alpha1.ResourceStatus) bool {
	e.t.Helper()
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(strings.TrimPrefix(r.Group+"/"+r.Version, "/"))
	o.SetKind(r.Kind)
	return e.Get(e.t.Context(), types.NamespacedName{Namespace: r.Namespace, Name: r.Name}, o) == nil
}

// untilVersion waits until a ConfigMap has a version.
func (e *engine) untilVersion(name, version string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		cm, err := e.configMap(name)
		if err == nil && cm.Data["version"] != version {
			err = fmt.Errorf("version is %q", cm.Data["version"])
		}
		return err
	})
}

func (e *engine) id(name string) string { return e.bench.ID(name) }

func (e *engine) app(name, path string, change ...func(*v1alpha1.Application)) *v1alpha1.Application {
	e.t.Helper()
	return e.bench.App(name, path, change...)
}

func (e *engine) until(name, what string, ok func(*v1alpha1.Application) bool) *v1alpha1.Application {
	e.t.Helper()
	return e.bench.Until(name, what, ok)
}

func good(app *v1alpha1.Application) bool {
	return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && app.Status.Health.Status == v1alpha1.HealthStatusHealthy &&
		app.Status.OperationState != nil && app.Status.OperationState.Phase == v1alpha1.OperationSucceeded
}

func (e *engine) configMap(name string) (*corev1.ConfigMap, error) { return e.bench.ConfigMap(name) }

const configMapV1 = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {version: "1"}
`

func TestFromCommitToHealthy(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1})
	e.app("plain", "plain")
	app := e.until("plain", "Synced and Healthy", good)
	if len(app.Status.History) != 1 || len(app.Status.Resources) != 1 {
		t.Errorf("got %d entries of history and %d resources, want one each", len(app.Status.History), len(app.Status.Resources))
	}

	e.write("plain/a.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: "2"}}`)
	e.untilVersion("settings", "2")

	cm, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Delete(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		back, err := e.configMap("settings")
		if err == nil && back.UID == cm.UID {
			err = errors.New("not deleted yet")
		}
		return err
	})
	app = e.until("plain", "healed", good)
	if err := e.Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if apierrors.IsNotFound(e.Get(ctx, client.ObjectKeyFromObject(app), &v1alpha1.Application{})) {
			return nil
		}
		return errors.New("application is still there")
	})
	if _, err := e.configMap("settings"); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the application's object was not deleted with it: %v", err)
	}
}
