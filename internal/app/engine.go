package app

import (
	"context"
	"fmt"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/project"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/source"

	"github.com/prometheus/client_golang/prometheus"
)

// Engine is everything that runs in one process.
type Engine struct {
	cfg      Config
	manager  ctrl.Manager
	sources  *source.Registry
	access   *source.Credentials
	creds    *credentials
	trust    source.Trust // touched by prepare, then by believe alone
	render   *render.Renderer
	settings renderSettings
	generate *generate.Generator
	hosts    *hosts
	fleet    *fleet.Fleet
	clusters *clusters
	apply    *apply.Applier
	memo     *application.Memo
	router   *router
	metrics  *prometheus.Registry
}

// New makes an engine; Run starts it.
func New(cfg Config) (*Engine, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	e := &Engine{cfg: cfg, access: &source.Credentials{}, memo: application.NewMemo(), metrics: prometheus.NewRegistry()}
	e.creds = newCredentials(e.access)
	if e.manager, err = newManager(cfg); err != nil {
		return nil, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	e.router = &router{
		reader: e.manager.GetClient(), namespace: cfg.Namespace, log: cfg.Log,
		readers: applicationset.NewReaders(),
	}
	if err := e.stages(); err != nil {
		return nil, err
	}
	return e, e.controllers()
}

// stages makes the stages and registers the renderers.
func (e *Engine) stages() (err error) {
	cfg := e.cfg
	e.sources, err = source.New(source.Options{
		CacheDir: filepath.Join(cfg.CacheDir, "sources"), Interval: cfg.Interval, LocalInterval: cfg.LocalInterval,
		Mirrors: cfg.Mirrors, Credentials: e.access, Log: cfg.Log,
	})
	if err != nil {
		return err
	}
	e.render = newRenderer(cfg.Log, e.sources, cfg.Rendering, nil)
	e.countRenders()
	e.fleet, err = fleet.New(fleet.Options{
		Hub: cfg.Hub, Namespace: cfg.Namespace, Log: cfg.Log,
		Convert:   observe.Live,
		OnChange:  e.router.live,
		OnCluster: e.onCluster,
		OnKinds:   e.onKinds,
	})
	if err != nil {
		return err
	}
	e.apply = apply.New(apply.Options{Convert: observe.Live, Remember: e.memo.Remember})
	e.clusters = newClusters(e.fleet)
	e.generate = e.newGenerator()
	return nil
}

// Run works until ctx ends.
func (e *Engine) Run(ctx context.Context) error {
	defer e.close(ctx)
	if err := e.prepare(ctx); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.manager.Start(ctx) })
	g.Go(func() error { return e.sources.Run(ctx) })
	g.Go(func() error { return e.router.repos(ctx, e.sources.Changes()) })
	g.Go(func() error { return e.believe(ctx) })
	g.Go(func() error { return e.followSettings(ctx) })
	g.Go(func() error { return e.listen(ctx) })
	return g.Wait()
}

func (e *Engine) close(ctx context.Context) {
	e.fleet.Close()
	e.render.Close()
	if err := e.sources.Close(); err != nil {
		e.cfg.Log.WarnContext(ctx, "cannot give the cache folder free", "error", err)
	}
}

// Run makes an engine and runs it until ctx ends.
func Run(ctx context.Context, cfg Config) error {
	e, err := New(cfg)
	if err != nil {
		return err
	}
	return e.Run(ctx)
}

// prepare makes what has to be there, and reads what has to be known, before
// the first object is looked at.
func (e *Engine) prepare(ctx context.Context) error {
	c, err := client.New(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	if err := project.EnsureDefault(ctx, c, e.cfg.Namespace); err != nil {
		return err
	}
	e.readTrust(ctx, c)
	e.readSettings(ctx, c)
	return readSecrets(ctx, c, e.cfg, e.fleet, e.creds)
}

// onCluster wakes the applications of a cluster that is back: what happened
// while it was away is unknown.
func (e *Engine) onCluster(server string, up bool) {
	if up {
		e.router.server(context.Background(), e.on(server))
	}
}

// onKinds wakes them when other kinds are served: charts may ask for that.
func (e *Engine) onKinds(server string) { e.router.server(context.Background(), e.on(server)) }

// on matches the destinations that lead to a server.
func (e *Engine) on(server string) func(v1alpha1.ApplicationDestination) bool {
	return func(d v1alpha1.ApplicationDestination) bool {
		c, err := e.fleet.Resolve(d)
		return err == nil && c.Desc().Server == server
	}
}

// Event broadcasting: repeats within minutes become one event with a count.
func newRecorder(ctx context.Context, hub *rest.Config, e ctrl.Manager) (record.EventRecorder, error) {
	clients, err := kubernetes.NewForConfig(hub)
	if err != nil {
		return nil, err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: clients.CoreV1().Events("")})
	return broadcaster.NewRecorder(e.GetScheme(), corev1.EventSource{Component: gitops.FieldManager}), nil
}
