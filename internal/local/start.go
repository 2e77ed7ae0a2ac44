package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
)

// Watcher is told how the clusters of a fleet come up, go down and come back.
// Its methods are called from several goroutines.
type Watcher interface {
	Starting(cluster string, at time.Time)
	Ready(cluster, server string, took time.Duration)
	Failed(cluster string, err error)
}

// Running is a fleet whose clusters are up.
type Running struct {
	Fleet *Fleet
	Home  Home

	binary string
	watch  Watcher
	// life ends with Stop.
	life   context.Context //nolint:containedctx // it is the life of what Start returns, not of a call
	cancel context.CancelFunc
	// guards are one goroutine a cluster, which ends with life.
	guards sync.WaitGroup
	// died gets the end of the hub, when it ends by itself.
	died chan error

	// kubeconfig is written by one at a time: two spokes may come back at once.
	kubeconfig sync.Mutex

	mu sync.Mutex
	// configs outlive a spoke that is down: what is written about it stays true.
	configs map[string]*rest.Config
	stopped []error
}

// Start starts all clusters at the same time and returns when each can be
// used. When one fails, the others are stopped. The caller holds the lock of
// home. ctx bounds the start alone; Stop ends the clusters. A spoke that ends
// by itself later is started again; the hub is not.
func Start(ctx context.Context, fleet *Fleet, home Home, watch Watcher) (*Running, error) {
	binary, err := embedded.FindBinary()
	if err != nil {
		return nil, err
	}
	r := &Running{Fleet: fleet, Home: home, binary: binary, watch: watch, configs: map[string]*rest.Config{}, died: make(chan error, 1)}
	r.life, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	group, ctx := crew.WithContext(ctx)
	for _, c := range fleet.Clusters {
		group.Go(func() error { return r.start(ctx, c) })
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	if err := r.writeKubeconfig(); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	return r, nil
}

// start starts a cluster for the first time.
func (r *Running) start(ctx context.Context, c Cluster) error {
	cluster, err := r.launch(ctx, c)
	if err != nil {
		if ctx.Err() == nil {
			r.watch.Failed(c.Name, err)
		}
		return err
	}
	r.guards.Go(func() { r.guard(c, cluster) })
	return nil
}

// launch starts a cluster from its folder, and tells when it is ready.
func (r *Running) launch(ctx context.Context, c Cluster) (*embedded.Cluster, error) {
	dir := r.Home.ClusterDir(c.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of cluster %s: %w", c.Name, err)
	}
	begin := time.Now()
	r.watch.Starting(c.Name, begin)
	if err := embedded.AwaitFree(ctx, c.Name, dir); err != nil {
		return nil, err
	}
	cluster, err := embedded.Start(ctx, embedded.Options{
		Name: c.Name, DataDir: dir, KubeconfigOut: r.Home.clusterKubeconfig(c.Name), Binary: r.binary, Nodes: c.Nodes, Port: c.Port,
	})
	if err != nil {
		return nil, startFailure{cluster: c.Name, log: r.Home.clusterLog(c.Name), err: err}
	}
	config, err := cluster.RESTConfig()
	if err != nil {
		return nil, errors.Join(err, cluster.Stop())
	}
	r.mu.Lock()
	r.configs[c.Name] = config
	r.mu.Unlock()
	r.watch.Ready(c.Name, config.Host, time.Since(begin))
	return cluster, nil
}

// Died gives an error when the hub ends by itself. It is not to be read after
// Stop.
func (r *Running) Died() <-chan error { return r.died }

// Stop stops all clusters at the same time and waits. Their data stays.
func (r *Running) Stop() error {
	r.cancel()
	r.guards.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.stopped...)
}

// HubConfig returns the administrator's connection to the hub.
func (r *Running) HubConfig() (*rest.Config, error) { return r.Config(r.Fleet.Hub().Name) }

// Config returns the administrator's connection to a cluster, also to one
// that is just down.
func (r *Running) Config(cluster string) (*rest.Config, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	config := r.configs[cluster]
	if config == nil {
		return nil, fmt.Errorf("cluster %s is not running", cluster)
	}
	return rest.CopyConfig(config), nil
}
