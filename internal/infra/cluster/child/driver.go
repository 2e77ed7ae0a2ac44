// Package child makes clusters that run as child processes of the engine:
// real API servers with simulated nodes, for development and CI.
//
// A cluster's data, its port and its log stay in a folder of its own, so that
// it is the same one after a restart of the engine. The processes end with the
// engine, however it ends.
package child

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Options of a Driver.
type Options struct {
	// Dir has one folder a cluster; empty: none are made.
	Dir string
	// Most is how many clusters run at a time.
	Most int
	// Changed is told when a cluster came up, went down or is gone.
	Changed func(cluster string)
	Log     *slog.Logger
}

// Driver keeps the processes. Close ends them.
type Driver struct {
	Options

	// life ends with Close.
	life   context.Context //nolint:containedctx // it is the life of the processes, not of a call
	cancel context.CancelFunc
	// keepers are one goroutine a cluster, which ends with life or by Remove.
	keepers sync.WaitGroup

	mu      sync.Mutex
	members map[string]*member
}

// New returns a Driver that runs nothing yet.
func New(o Options) *Driver {
	d := &Driver{Options: o, members: map[string]*member{}}
	d.life, d.cancel = context.WithCancel(context.Background())
	return d
}

// Close ends all clusters and waits for that. Their data stays.
func (d *Driver) Close() {
	d.cancel()
	d.keepers.Wait()
}

// Make starts a cluster unless it runs, and tells how to reach it once it can
// be used.
func (d *Driver) Make(_ context.Context, c *causeway.Cluster) (kubeconfig.Connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.members[c.Name]; m != nil {
		if c.Spec.Embedded != nil && m.nodes != nodesOf(c) {
			m.stop() // it comes back with as many as are wanted now
		}
		return m.state()
	}
	if c.Spec.Embedded == nil {
		return kubeconfig.Connection{}, gitops.Problemf(gitops.Invalid, "the cluster was made by the driver embedded, and its spec names another one").
			Do("write spec.embedded again")
	}
	binary, err := d.possible()
	if err != nil {
		return kubeconfig.Connection{}, err
	}
	m := &member{name: c.Name, dir: d.dirOf(c.Name), nodes: nodesOf(c), binary: binary, err: starting(c.Name)}
	var ctx context.Context
	ctx, m.stop = context.WithCancel(d.life)
	d.members[c.Name] = m
	connection, starts := m.state() // before it can fail: that is told by Changed
	d.keepers.Go(func() {
		d.keep(ctx, m)
		m.stop()
		d.mu.Lock()
		delete(d.members, m.name)
		d.mu.Unlock()
		d.Changed(m.name)
	})
	return connection, starts
}

func nodesOf(c *causeway.Cluster) int { return int(max(c.Spec.Embedded.Nodes, 1)) }

// possible reports whether one more cluster can run here, and by which program.
func (d *Driver) possible() (binary string, err error) {
	if d.Dir == "" || d.Most <= 0 {
		return "", gitops.Problemf(gitops.Forbidden, "this engine runs no embedded clusters").
			Do("run the engine as a process with --embedded-clusters, or choose another driver")
	}
	binary, err = embedded.FindBinary()
	if err != nil {
		return "", gitops.Problemf(gitops.NotFound, "embedded clusters need causeway-kube beside the engine: %w", err)
	}
	if len(d.members) >= d.Most {
		return "", gitops.Problemf(gitops.Forbidden, "%d embedded clusters run already, which is the most that this engine runs", len(d.members)).
			Do("remove one, or raise --embedded-clusters")
	}
	return binary, nil
}

// Remove ends a cluster and deletes its data. While it is ending, a problem
// of the kind NotReady says so.
func (d *Driver) Remove(_ context.Context, c *causeway.Cluster) error {
	d.mu.Lock()
	m := d.members[c.Name]
	d.mu.Unlock()
	if m != nil {
		m.stop()
		return gitops.Problemf(gitops.NotReady, "the control plane is stopping")
	}
	if d.Dir == "" {
		return nil // nothing was ever made by this engine
	}
	if err := os.RemoveAll(d.dirOf(c.Name)); err != nil {
		return fmt.Errorf("cannot delete the data of cluster %s: %w", c.Name, err)
	}
	return nil
}

func (d *Driver) dirOf(cluster string) string { return filepath.Join(d.Dir, cluster) }
