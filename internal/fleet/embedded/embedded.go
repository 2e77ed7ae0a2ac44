// Package embedded starts and stops Kubernetes clusters that run as a child process on this machine: etcd, API
// server, controllers, scheduler and simulated kubelets, in the binary causeway-kube. The rest of the engine gets a
// kubeconfig and cannot tell such a cluster from any other.
//
// A child never outlives this process, however it ends: the two share a pipe. The package runs no part of Kubernetes
// itself and installs nothing into the clusters.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// stopWithin is how long a child may take to stop before it ends the hard way, where nothing is said. Persistent data is
// safe in both cases.
const stopWithin = 10 * time.Second

// killAfter is how much longer it is left alone, before it is killed: it ends itself.
const killAfter = 5 * time.Second

// Options describe one embedded cluster. The zero value is a temporary cluster of one node.
type Options struct {
	// Name of the cluster and of its context in the kubeconfig. Default: causeway.
	Name string
	// DataDir keeps the cluster across starts. Empty: the cluster is gone after Stop.
	DataDir string
	// KubeconfigOut is where the kubeconfig goes. Default: in DataDir, or in a temporary folder.
	KubeconfigOut string
	// Binary is the path of causeway-kube. Default: what FindBinary finds.
	Binary string
	// Nodes to simulate. Default: 1.
	Nodes int
	// LogFile of the components. Default: in DataDir; for a temporary cluster it is gone after Stop.
	LogFile string
	// APIOnly leaves out scheduler, kubelets and the controllers of workloads:
	// for tests that play them.
	APIOnly bool
	// Port of the API server. Default: that of the last start from DataDir, or a free one.
	Port int
	// ReadyWithin is how long the cluster may take until it can be used. Default: five minutes,
	// for a laptop that starts several at once and is busy besides; a part that fails ends the start at once.
	ReadyWithin time.Duration
	// StopWithin is how long the cluster may take to stop, which is an error after that. Default: ten seconds.
	StopWithin time.Duration
	// AuditLog gets one line of JSON for each request, for counting them. Empty: none.
	AuditLog string
}

// Cluster is a running embedded cluster.
type Cluster struct {
	options    Options
	kubeconfig string
	scratch    string // folder to remove after the end; may be empty
	command    *exec.Cmd
	lifeline   *os.File
	done       chan struct{}
	exit       error // set before done is closed
	stopOnce   sync.Once
	stopErr    error
}

// Start starts a cluster and returns once it can be used: the API server answers, nodes are ready, the default
// namespace has its service account. ctx bounds the start alone; the cluster lives until Stop.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if o.Binary == "" {
		binary, err := FindBinary()
		if err != nil {
			return nil, err
		}
		o.Binary = binary
	}
	c := &Cluster{options: o, done: make(chan struct{})}
	if err := c.placeKubeconfig(); err != nil {
		return nil, err
	}
	if err := c.launch(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start the embedded cluster %s: %w", c.name(), err), c.cleanUp())
	}
	return c, nil
}

func (c *Cluster) placeKubeconfig() error {
	switch {
	case c.options.KubeconfigOut != "":
		c.kubeconfig = c.options.KubeconfigOut
	case c.options.DataDir != "":
		c.kubeconfig = filepath.Join(c.options.DataDir, "kubeconfig")
	default:
		dir, err := os.MkdirTemp("", "causeway-embedded-")
		if err != nil {
			return fmt.Errorf("cannot make a folder for the kubeconfig: %w", err)
		}
		c.scratch, c.kubeconfig = dir, filepath.Join(dir, "kubeconfig")
	}
	abs, err := filepath.Abs(c.kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot use kubeconfig path %s: %w", c.kubeconfig, err)
	}
	c.kubeconfig = abs
	return nil
}

func (c *Cluster) name() string {
	if c.options.Name == "" {
		return "causeway"
	}
	return c.options.Name
}

// Options returns what the cluster was started with, the binary filled in.
func (c *Cluster) Options() Options { return c.options }

// Kubeconfig returns the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.kubeconfig }

// RESTConfig returns a client configuration for the administrator, without a client-side rate limit.
func (c *Cluster) RESTConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("cannot read the kubeconfig of the embedded cluster %s: %w", c.name(), err)
	}
	config.QPS = -1
	return config, nil
}

// PID returns the process ID of the child.
func (c *Cluster) PID() int { return c.command.Process.Pid }

// Done is closed when the child has ended, by Stop or by itself; Err then tells why.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Err returns how the child ended: nil while it runs and after an orderly stop.
func (c *Cluster) Err() error {
	select {
	case <-c.done:
		return c.exit
	default:
		return nil
	}
}

// Stop ends the cluster and waits for it. What DataDir holds stays. Calling it again returns the same result.
func (c *Cluster) Stop() error {
	c.stopOnce.Do(func() {
		c.release()
		if c.exit != nil {
			c.stopErr = fmt.Errorf("the embedded cluster %s ended badly: %w", c.name(), c.exit)
		}
		c.stopErr = errors.Join(c.stopErr, c.cleanUp())
	})
	return c.stopErr
}

// release lets go of the child, which stops by that, and waits for it.
func (c *Cluster) release() {
	_ = c.lifeline.Close()
	timer := time.NewTimer(cmp.Or(c.options.StopWithin, stopWithin) + killAfter)
	defer timer.Stop()
	select {
	case <-c.done:
		return
	case <-timer.C:
	}
	_ = c.command.Process.Kill()
	<-c.done
}

func (c *Cluster) cleanUp() error {
	if c.scratch == "" {
		return nil
	}
	if err := os.RemoveAll(c.scratch); err != nil {
		return fmt.Errorf("cannot remove the folder of the kubeconfig: %w", err)
	}
	return nil
}
