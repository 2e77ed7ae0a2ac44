package app

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/bulkhead"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/controller/members"
	"github.com/causeway-gitops/causeway/internal/controller/project"
	"github.com/causeway-gitops/causeway/internal/controller/route"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/lookup"
	"github.com/causeway-gitops/causeway/internal/memory"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/room"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

// Engine is everything that runs in one process.
type Engine struct {
	cfg      Config
	manager  ctrl.Manager
	sources  *source.Registry
	access   *source.Credentials
	creds    *hub.Credentials
	trust    source.Trust // touched by prepare, then by believe alone
	render   *render.Renderer
	settings hub.Settings
	generate *generate.Generator
	// room is for large ApplicationSets, whoever expands them.
	room *generate.Room
	// manifests is for those that are compared and applied, of all Applications.
	manifests *room.Room
	hosts     *lookup.Hosts
	fleet     *fleet.Fleet
	clusters  *members.Clusters
	apply     *apply.Applier
	checks    *observe.Checks
	// said are the warnings about customizations that were told last.
	said struct {
		sync.Mutex

		warnings []string
	}
	memo   *compare.Memo
	router *route.Router
	looks  *comparisons.Book
	// shared are the workers, among clusters and projects; sharedSets those of ApplicationSets.
	shared, sharedSets *bulkhead.Bulkhead
	rollouts           *applicationset.Rollouts
	metrics            *prometheus.Registry
	guard              guards
	chronicle          *chronicle.Chronicle
	// described are told of a cluster Secret of which the fleet has taken a
	// change, answering of a server that began or ceased to answer.
	described, answering listeners
	// lacking are the kinds of the product's own that have no controller yet;
	// touched by prepare, then by takeUpLater alone.
	lacking []ownKind
	// served is told of a server that serves other kinds than before, noded of
	// one whose nodes are others or describe themselves in another way.
	served, noded listeners
	// drivers make clusters that Git declares; none where none are declared.
	drivers []interface{ Close() }
	// silence ends the recording of events.
	silence func()
	events  events
	// hooks takes the events of Git hosts, at whichever port they come in.
	hooks http.Handler
}

// New makes an engine; Run starts it.
func New(cfg Config) (*Engine, error) {
	cfg, err := cfg.complete()
	if err == nil {
		cfg, err = cfg.withParams()
	}
	if err != nil {
		return nil, err
	}
	e := &Engine{cfg: cfg, access: &source.Credentials{}, memo: compare.NewMemo(), checks: observe.New(), metrics: prometheus.NewRegistry(), guard: newGuards()}
	e.lacking, e.manifests = e.ownKinds(), room.New(cfg.ManifestBytes)
	e.looks, e.rollouts = comparisons.NewBook(), applicationset.NewRollouts()
	e.creds = hub.NewCredentials(e.access)
	if e.manager, err = newManager(cfg); err != nil {
		return nil, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	e.router = e.newRouter()
	e.shared, e.sharedSets = bulkhead.New(cfg.Workers, e.router.Apps.Ring), bulkhead.New(setWorkers, e.router.Sets.Ring)
	if e.chronicle, err = e.openChronicle(); err != nil {
		return nil, err
	}
	e.guard.ledger.Watch(e.chronicle.Held)
	if err = e.stages(); err == nil {
		err = e.controllers()
	}
	if err != nil {
		e.close(context.Background())
		return nil, err
	}
	return e, nil
}

func (e *Engine) openChronicle() (*chronicle.Chronicle, error) {
	return chronicle.Open(context.Background(), chronicle.Options{
		Config: e.cfg.History, CacheDir: e.cfg.CacheDir, Hub: e.cfg.Hub, Namespace: e.cfg.Namespace, Scheme: e.manager.GetScheme(),
		Metrics: e.metrics, PerApplication: e.cfg.AppMetrics, Log: e.cfg.Log,
	})
}

// stages makes the stages and registers the renderers.
func (e *Engine) stages() (err error) {
	cfg := e.cfg
	e.fleet, err = fleet.New(fleet.Options{
		Hub: cfg.Hub, Namespace: cfg.Namespace, Log: cfg.Log, Timeout: cfg.ClusterTimeout,
		Redial: cfg.Pauses.Redial, Refused: cfg.Pauses.Refused, Kinds: memory.Kinds(memory.There()),
		Convert:   e.checks.Live,
		OnChange:  e.router.Live,
		OnCluster: e.onCluster,
		OnKinds:   e.onKinds,
		OnNodes:   e.noded.tell,
	})
	if err != nil {
		return err
	}
	e.sources, e.render, err = hub.OpenStages(cfg.reading(), e.projects(), source.Options{CacheDir: filepath.Join(cfg.CacheDir, "sources"), Credentials: e.access, Person: auth.Asker})
	if err != nil {
		return err
	}
	e.apply = apply.New(apply.Options{Convert: e.checks.Live, Remember: e.memo.Remember})
	e.clusters = members.New(e.fleet)
	e.metrics.MustRegister(e.measured())
	e.room = generate.NewRoom()
	e.generate = e.newGenerator()
	e.hooks = e.webhooks()
	return nil
}

// Run works until ctx ends.
func (e *Engine) Run(ctx context.Context) error {
	defer e.close(ctx)
	flush, err := telemetry.Start(ctx, telemetry.Options{Endpoint: e.cfg.Traces, Version: e.cfg.Version, Log: e.cfg.Log})
	if err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = flush(bounded) // what is not sent by now is lost
	}()
	if err := e.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // it was to end before it had begun
		}
		return err
	}
	g, ctx := crew.WithContext(ctx)
	g.Go(func() error { return e.manager.Start(ctx) })
	g.Go(func() error { return e.sources.Run(ctx) })
	g.Go(func() error { return e.router.Repos(ctx, e.sources.Changes()) })
	g.Go(func() error { return e.believe(ctx) })
	g.Go(func() error { return e.followSettings(ctx) })
	g.Go(func() error { return e.followKeys(ctx) })
	g.Go(func() error { return e.takeUpLater(ctx) })
	g.Go(func() error { return e.listen(ctx) })
	g.Go(func() error { return e.serve(ctx) })
	g.Go(func() error { return e.chronicle.Run(ctx) })
	g.Go(func() error { return e.secrets(ctx) })
	return g.Wait()
}

// close ends what was made, which is less than all where New failed.
func (e *Engine) close(ctx context.Context) {
	if e.silence != nil {
		e.silence()
	}
	if e.fleet != nil {
		e.fleet.Close()
	}
	for _, d := range e.drivers {
		d.Close()
	}
	if e.render != nil {
		e.render.Close()
	}
	e.chronicle.Close(ctx)
	if e.sources == nil {
		return
	}
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
	if err := e.readSettings(ctx, c); err != nil {
		return err
	}
	e.readKeys(ctx, c)
	if err := e.takeUp(ctx); err != nil {
		return err
	}
	return hub.ReadSecrets(ctx, c, e.cfg.Log, e.cfg.Namespace, e.fleet, e.parser(), e.creds)
}

// onCluster passes on that a cluster began or ceased to answer.
func (e *Engine) onCluster(server string, up bool) {
	e.router.Answers(context.Background(), server, up)
	e.answering.tell(server)
}

// onKinds wakes the applications of a cluster when other kinds are served: charts may
// ask for that.
func (e *Engine) onKinds(server string) {
	e.router.Server(context.Background(), server)
	e.served.tell(server)
}

// Event broadcasting: repeats within minutes become one event with a count.
// The function that comes back ends it, when the controllers have ended.
func newRecorder(ctx context.Context, hub *rest.Config, e ctrl.Manager) (recorder record.EventRecorder, end func(), err error) {
	clients, err := kubernetes.NewForConfig(hub)
	if err != nil {
		return nil, nil, err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: clients.CoreV1().Events("")})
	return broadcaster.NewRecorder(e.GetScheme(), corev1.EventSource{Component: gitops.FieldManager}), broadcaster.Shutdown, nil
}
