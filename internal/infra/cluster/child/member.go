package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// How a cluster is started, and started again when it ended by itself.
const (
	startWithin = 5 * time.Minute
	firstPause  = time.Second // doubled after each try
	longPause   = time.Minute
	steadyAfter = time.Minute // what ran for that long begins with the first pause again
)

// logName is what causeway-kube calls its log in the folder of its data.
const logName = "causeway-kube.log"

// member is one cluster.
type member struct {
	name, dir, binary string
	nodes             int
	stop              context.CancelFunc

	mu         sync.Mutex
	connection kubeconfig.Connection
	err        error // nil once the cluster can be used
}

func starting(name string) error {
	return gitops.Problemf(gitops.NotReady, "the control plane of cluster %s is starting", name)
}

func (m *member) state() (kubeconfig.Connection, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.connection, m.err
}

func (m *member) set(c kubeconfig.Connection, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.connection, m.err = c, err
}

// keep runs a cluster until ctx ends, and starts it again when it ends before.
func (d *Driver) keep(ctx context.Context, m *member) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, longPause) {
		since := time.Now()
		err := d.once(ctx, m)
		if ctx.Err() != nil {
			return
		}
		m.set(kubeconfig.Connection{}, gitops.Problemf(gitops.Unreachable, "%w; it is started again; its log: %s", err, filepath.Join(m.dir, logName)))
		d.Log.WarnContext(ctx, "embedded cluster is down", "cluster", m.name, "error", err)
		d.Changed(m.name)
		if time.Since(since) > steadyAfter {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// once starts a cluster and waits for its end.
func (d *Driver) once(ctx context.Context, m *member) error {
	cluster, connection, err := m.start(ctx)
	if err != nil {
		return err
	}
	m.set(connection, nil)
	d.Log.InfoContext(ctx, "embedded cluster is ready", "cluster", m.name, "server", connection.Server)
	d.Changed(m.name)
	select {
	case <-cluster.Done():
		err = fmt.Errorf("the control plane of cluster %s ended by itself", m.name)
	case <-ctx.Done():
	}
	return errors.Join(err, cluster.Stop())
}

func (m *member) start(ctx context.Context) (*embedded.Cluster, kubeconfig.Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, kubeconfig.Connection{}, fmt.Errorf("cannot make the folder of cluster %s: %w", m.name, err)
	}
	if err := embedded.AwaitFree(ctx, m.name, m.dir); err != nil {
		return nil, kubeconfig.Connection{}, err
	}
	cluster, err := embedded.Start(ctx, embedded.Options{
		Name: m.name, DataDir: m.dir, KubeconfigOut: filepath.Join(m.dir, "kubeconfig"), Binary: m.binary, Nodes: m.nodes,
	})
	if err != nil {
		return nil, kubeconfig.Connection{}, err
	}
	connection, err := read(cluster.Kubeconfig())
	if err != nil {
		return nil, kubeconfig.Connection{}, errors.Join(err, cluster.Stop())
	}
	return cluster, connection, nil
}

func read(path string) (kubeconfig.Connection, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return kubeconfig.Connection{}, fmt.Errorf("cannot read the kubeconfig of an embedded cluster: %w", err)
	}
	return kubeconfig.Read(text, "")
}
