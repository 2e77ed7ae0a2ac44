package fleet

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Cluster is one cluster of a fleet. It is safe for concurrent use.
type Cluster struct {
	o      Options
	log    *slog.Logger
	config *rest.Config
	desc   atomic.Pointer[gitops.Cluster]
	// broken is why the cluster cannot be used at all; nothing else is set then.
	broken error

	dynamic  dynamic.Interface
	metadata metadata.Interface
	raw      rest.Interface // knows no types
	link     *link
	slots    chan struct{}
	idle     http.RoundTripper
	catalog  *catalog
	asks     *asks          // of all clusters
	looks    *reply.Account // at all clusters; nil where it is broken
	turns    *slots.Slots   // for large objects of all clusters
	turnTime time.Duration  // of one of these
	memory   *account       // of the kinds of all clusters; nil where it is broken

	ctx    context.Context //nolint:containedctx // the life of the goroutines that the cluster owns
	cancel context.CancelFunc
	owned  sync.WaitGroup

	mu       sync.Mutex
	watchers map[watchKey]*running
	waits    waits
	stopped  bool
	census   census
	nodes    *nodeWatch // nil: nobody asks
	// acting are clients as other users.
	acting map[string]rest.Interface
}

func newCluster(f *Fleet, d gitops.Cluster, cfg *rest.Config) (*Cluster, error) {
	cfg = rest.CopyConfig(cfg)
	// The API server's priority and fairness limits requests; a limit of our
	// own would only leave it idle.
	cfg.QPS, cfg.Burst = -1, -1
	cfg.UserAgent = orElse(cfg.UserAgent, userAgent)
	c := &Cluster{
		o: f.o, log: f.o.Log.With("cluster", d.Name), config: cfg,
		link: newLink(f.o.Redial), asks: f.asks, looks: f.looks, turns: f.turns, turnTime: turnTime, memory: f.memory, watchers: map[watchKey]*running{}, waits: newWaits(),
	}
	// All clients of the cluster share one gate, also those that others make of
	// its config.
	inFlight := make(chan struct{}, maxInFlight)
	reply.Guard(cfg, func() string { return c.Desc().Name })
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &gate{next: next, link: c.link, slots: inFlight, patience: f.o.Timeout}
	})
	c.slots = inFlight
	c.desc.Store(&d)
	c.ctx, c.cancel = context.WithCancel(f.ctx)
	if err := c.connect(cfg); err != nil {
		c.cancel()
		return nil, gitops.Problemf(gitops.Invalid, "cannot connect to cluster %s: %w", d.Name, withoutURL(err)).
			Do("correct data.config of Secret " + orElse(d.Secret, "of the cluster"))
	}
	return c, nil
}

func (c *Cluster) connect(cfg *rest.Config) error {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return err
	}
	if c.dynamic, err = dynamic.NewForConfigAndClient(cfg, client); err != nil {
		return err
	}
	if c.metadata, err = metadata.NewForConfigAndClient(cfg, client); err != nil {
		return err
	}
	if c.raw, err = rawClient(cfg, client); err != nil {
		return err
	}
	// Discovery takes no context: its time is bounded by the client, and by the
	// cluster's life.
	bounded := &http.Client{Transport: &mortal{client.Transport, c.ctx}, Timeout: probeTimeout}
	disco, err := discovery.NewDiscoveryClientForConfigAndClient(cfg, bounded)
	if err != nil {
		return err
	}
	c.link.client, c.idle = disco.RESTClient(), client.Transport
	c.catalog = newCatalog(newVersions(disco))
	c.catalog.take = c.takeKinds
	return nil
}

func rawClient(cfg *rest.Config, client *http.Client) (rest.Interface, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.AcceptContentTypes, cfg.ContentType = "application/json", "application/json"
	return rest.UnversionedRESTClientForConfigAndClient(cfg, client)
}

func brokenCluster(f *Fleet, d gitops.Cluster, reason error) *Cluster {
	c := &Cluster{o: f.o, log: f.o.Log, broken: reason}
	c.desc.Store(&d)
	return c
}

// Broken is why the Secret of a cluster cannot be used; such a cluster has no
// connection.
func (c *Cluster) Broken() error { return c.broken }

// usable returns the cluster, or why its Secret cannot be used.
func (c *Cluster) usable() (*Cluster, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	return c, nil
}

func (c *Cluster) start() {
	c.owned.Go(func() { c.link.run(c.ctx, c.onLink) })
	c.owned.Go(func() { c.followKinds(c.ctx) })
}

// closePatience bounds the wait for goroutines that hang in a credential
// plugin, which cannot be interrupted.
const closePatience = 10 * time.Second

// end has all that the cluster owns end, and waits for nothing. Who has the
// cluster still, as a sync under way, may go on asking it.
func (c *Cluster) end() {
	c.mu.Lock()
	c.stopped = true
	c.waits = newWaits()
	c.mu.Unlock()
	c.asks.leave(c)
	c.cancel()
	c.memory.leave(c)
}

// wait waits for what end has ended, as long as that may take.
func (c *Cluster) wait() {
	done := make(chan struct{})
	go func() { c.owned.Wait(); c.catalog.idle(); close(done) }() // ends with what it waits for
	select {
	case <-done:
	case <-time.After(closePatience):
		c.log.Warn("a cluster's connections did not end in time")
	}
	utilnet.CloseIdleConnectionsFor(c.idle)
}

func (c *Cluster) onLink(up bool, err error) {
	if up {
		c.log.Info("cluster answers")
	} else {
		c.log.Warn("cluster does not answer", "error", withoutURL(err))
	}
	c.o.OnCluster(c.Desc().Server, up)
}

// Redial asks a cluster that does not answer at once whether it does again,
// since somebody says so, or has changed what it may depend on.
func (c *Cluster) Redial() {
	if c.broken == nil {
		c.link.wake()
	}
}

// Desc describes the cluster as its Secret does.
func (c *Cluster) Desc() gitops.Cluster { return *c.desc.Load() }

func (c *Cluster) describe(d gitops.Cluster) {
	c.desc.Store(&d)
	c.memory.move(c)
}

// serves reports whether the running connections and watches fit a description
// and config too.
func (c *Cluster) serves(d gitops.Cluster, cfg *rest.Config) bool {
	mine := c.Desc()
	if mine.Server != d.Server || !reflect.DeepEqual(mine.Namespaces, d.Namespaces) || mine.ClusterResources != d.ClusterResources {
		return false
	}
	a, b := *c.config, *cfg
	if proxyOf(&a) != proxyOf(&b) {
		return false
	}
	return a.Host == b.Host && a.Username == b.Username && a.Password == b.Password && a.BearerToken == b.BearerToken &&
		a.DisableCompression == b.DisableCompression && reflect.DeepEqual(a.TLSClientConfig, b.TLSClientConfig) &&
		sameTransport(a.Transport, b.Transport)
}

func proxyOf(cfg *rest.Config) string {
	if cfg.Proxy == nil {
		return ""
	}
	u, err := cfg.Proxy(&http.Request{})
	if err != nil || u == nil {
		return ""
	}
	return u.String()
}

// RESTConfig returns a copy of the connection's settings, without limits of
// requests a second.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.config) }

// Dynamic returns a client for any kind.
func (c *Cluster) Dynamic() dynamic.Interface { return c.dynamic }
