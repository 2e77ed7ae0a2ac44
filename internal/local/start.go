package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
)

// Watcher is told how the clusters of a fleet come up. Its methods are called
// from several goroutines.
type Watcher interface {
	Starting(cluster string, at time.Time)
	Ready(cluster, server string, took time.Duration)
	Failed(cluster string, err error)
}

// Running is a fleet whose clusters are up.
type Running struct {
	Fleet *Fleet
	Home  Home

	mu       sync.Mutex
	clusters map[string]*embedded.Cluster
	// died gets the first cluster that ends by itself.
	died     chan error
	watchers sync.WaitGroup
}

// Start starts all clusters at the same time and returns when each can be
// used. When one fails, the others are stopped. The caller holds the lock of
// home. ctx bounds the start alone; Stop ends the clusters.
func Start(ctx context.Context, fleet *Fleet, home Home, watch Watcher) (*Running, error) {
	binary, err := embedded.FindBinary()
	if err != nil {
		return nil, err
	}
	r := &Running{Fleet: fleet, Home: home, clusters: map[string]*embedded.Cluster{}, died: make(chan error, len(fleet.Clusters))}
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range fleet.Clusters {
		group.Go(func() error { return r.start(ctx, binary, c, watch) })
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	if err := r.writeKubeconfig(); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	return r, nil
}

func (r *Running) start(ctx context.Context, binary string, c Cluster, watch Watcher) error {
	dir := r.Home.ClusterDir(c.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of cluster %s: %w", c.Name, err)
	}
	begin := time.Now()
	watch.Starting(c.Name, begin)
	cluster, err := embedded.Start(ctx, embedded.Options{
		Name: c.Name, DataDir: dir, KubeconfigOut: r.Home.clusterKubeconfig(c.Name), Binary: binary, Nodes: c.Nodes, Port: c.Port,
	})
	if err != nil {
		if ctx.Err() == nil {
			watch.Failed(c.Name, err)
		}
		return err
	}
	r.mu.Lock()
	r.clusters[c.Name] = cluster
	r.mu.Unlock()
	r.watchers.Go(func() { r.awaitEnd(c.Name, cluster) })
	config, err := cluster.RESTConfig()
	if err != nil {
		return err
	}
	watch.Ready(c.Name, config.Host, time.Since(begin))
	return nil
}

// awaitEnd ends with the cluster.
func (r *Running) awaitEnd(name string, cluster *embedded.Cluster) {
	<-cluster.Done()
	err := cluster.Err()
	if err == nil {
		err = errors.New("it stopped")
	}
	r.died <- fmt.Errorf("cluster %s ended by itself: %w", name, err)
}

// Died gives an error when a cluster ends by itself. It is not to be read
// after Stop.
func (r *Running) Died() <-chan error { return r.died }

// Stop stops all clusters at the same time and waits. Their data stays.
func (r *Running) Stop() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	problems := make(chan error, len(r.clusters))
	for _, cluster := range r.clusters {
		go func() { problems <- cluster.Stop() }() // waited for below
	}
	var all []error
	for range r.clusters {
		all = append(all, <-problems)
	}
	r.watchers.Wait()
	return errors.Join(all...)
}

// HubConfig returns the administrator's connection to the hub.
func (r *Running) HubConfig() (*rest.Config, error) { return r.Config(r.Fleet.Hub().Name) }

// Config returns the administrator's connection to a cluster.
func (r *Running) Config(cluster string) (*rest.Config, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clusters[cluster]
	if c == nil {
		return nil, fmt.Errorf("cluster %s is not running", cluster)
	}
	return c.RESTConfig()
}
