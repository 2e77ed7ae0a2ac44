// Package kind makes clusters of containers, by kind's own library, where
// Docker (or Podman, or nerdctl) answers.
//
// The library cannot be interrupted, so all that it does is done aside: Make
// and Remove tell how far that is.
package kind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	kindcluster "sigs.k8s.io/kind/pkg/cluster"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Provider is what is used of kind's library.
type Provider interface {
	List() ([]string, error)
	Create(name string, options ...kindcluster.CreateOption) error
	Delete(name, kubeconfig string) error
	KubeConfig(name string, internal bool) (string, error)
}

// Detect finds the container engine of this machine.
func Detect() (Provider, error) {
	engine, err := kindcluster.DetectNodeProvider()
	if err != nil {
		return nil, gitops.Problemf(gitops.NotFound, "clusters of kind need Docker where the engine runs, and there is none").
			Do("install Docker there, or choose another driver")
	}
	return kindcluster.NewProvider(engine), nil
}

// Options of a Driver.
type Options struct {
	// Detect finds the library's provider.
	Detect func() (Provider, error)
	// Dir has a file for each cluster that was made here: another one of the
	// same name is never used, and never deleted.
	Dir string
	// Changed is told when a cluster came, went or could not be made.
	Changed func(cluster string)
	// Fresh is how long what is known is good, failures among it; half a minute
	// when 0.
	Fresh time.Duration
	Log   *slog.Logger
}

// prefix keeps our clusters apart from those that people make by themselves.
const prefix = "causeway-"

// Times of the work.
const (
	fresh     = 30 * time.Second // the usual one of Options.Fresh
	readyTime = 5 * time.Minute
	closeTime = 10 * time.Second
)

// Driver makes clusters.
type Driver struct {
	Options

	work sync.WaitGroup // one goroutine a cluster at a time

	mu    sync.Mutex
	known map[string]*state
}

// state is what is known of a cluster.
type state struct {
	busy       bool
	at         time.Time // of the last answer
	connection kubeconfig.Connection
	err        error
	removed    bool
}

// New returns a Driver.
func New(o Options) *Driver {
	o.Fresh = cmp.Or(o.Fresh, fresh)
	return &Driver{Options: o, known: map[string]*state{}}
}

// Close waits a moment for what is under way. A cluster that is just being
// made is finished by Docker, and found by the next engine.
func (d *Driver) Close() {
	done := make(chan struct{})
	go func() { d.work.Wait(); close(done) }() // ends with what is under way
	select {
	case <-done:
	case <-time.After(closeTime):
		d.Log.Warn("a cluster of kind is still being made or removed")
	}
}

// Make makes a cluster unless it is there, and tells how to reach it.
func (d *Driver) Make(_ context.Context, c *causeway.Cluster) (kubeconfig.Connection, error) {
	if c.Spec.Kind == nil {
		return kubeconfig.Connection{}, gitops.Problemf(gitops.Invalid, "the cluster was made by the driver kind, and its spec names another one").
			Do("write spec.kind again, or delete the Cluster and declare another one")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.known[c.Name]
	if s == nil || s.removed {
		s = &state{err: gitops.Problemf(gitops.NotReady, "kind is making the cluster")}
		d.known[c.Name] = s
	}
	name, spec, ours := c.Name, *c.Spec.Kind, d.ours(c) // c is the caller's again after this
	d.begin(name, s, func() (kubeconfig.Connection, error) { return d.made(name, spec, ours) })
	return s.connection, s.err
}

// Remove deletes a cluster.
func (d *Driver) Remove(_ context.Context, c *causeway.Cluster) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.known[c.Name]
	if s != nil && s.removed {
		delete(d.known, c.Name)
		return nil
	}
	if s == nil {
		s = &state{}
		d.known[c.Name] = s
	}
	if failed := s.err; !s.busy && time.Since(s.at) < d.Fresh && gitops.IsProblem(failed, gitops.Unreachable) {
		return failed
	}
	s.at = time.Time{}
	name, ours := c.Name, d.ours(c)
	d.begin(name, s, func() (kubeconfig.Connection, error) {
		err := d.delete(name, ours)
		d.mu.Lock()
		s.removed = err == nil
		d.mu.Unlock()
		return kubeconfig.Connection{}, err
	})
	return gitops.Problemf(gitops.NotReady, "kind is deleting the cluster")
}

// begin does something aside, unless that was done just now. The lock is held.
func (d *Driver) begin(name string, s *state, do func() (kubeconfig.Connection, error)) {
	if s.busy || time.Since(s.at) < d.Fresh {
		return
	}
	s.busy = true
	d.work.Go(func() {
		var connection kubeconfig.Connection
		err := crew.Safely(func() (err error) { // a library makes of a spec what it will
			connection, err = do()
			return err
		})
		d.mu.Lock()
		changed := s.connection.Server != connection.Server || fmt.Sprint(s.err) != fmt.Sprint(err) || s.removed
		s.busy, s.at, s.connection, s.err = false, time.Now(), connection, err
		d.mu.Unlock()
		if changed {
			d.Changed(name)
		}
	})
}

func (d *Driver) made(name string, spec causeway.KindCluster, ours func() bool) (kubeconfig.Connection, error) {
	provider, err := d.Detect()
	if err != nil {
		return kubeconfig.Connection{}, err
	}
	there, err := has(provider, prefix+name)
	if err != nil {
		return kubeconfig.Connection{}, err
	}
	if there && !ours() {
		return kubeconfig.Connection{}, gitops.Problemf(gitops.Invalid, "kind has a cluster %s already, which this engine has not made", prefix+name).
			Do("rename the Cluster, or adopt that one by its kubeconfig (spec.adopt), or delete it: kind delete cluster --name " + prefix + name)
	}
	if err := d.record(name); err != nil { // before: the engine may end while it is made
		return kubeconfig.Connection{}, err
	}
	if !there {
		if err := create(provider, name, spec); err != nil {
			return kubeconfig.Connection{}, err
		}
	}
	text, err := provider.KubeConfig(prefix+name, false)
	if err != nil {
		return kubeconfig.Connection{}, gitops.Problemf(gitops.Unreachable, "kind does not tell how to reach the cluster: %w", err)
	}
	return kubeconfig.Read([]byte(text), "")
}

func has(provider Provider, name string) (bool, error) {
	names, err := provider.List()
	if err != nil {
		return false, gitops.Problemf(gitops.Unreachable, "Docker does not answer: %w", err).Do("start it where the engine runs")
	}
	return slices.Contains(names, name), nil
}

func create(provider Provider, name string, spec causeway.KindCluster) error {
	return aside(func(file string) error {
		err := provider.Create(prefix+name, kindcluster.CreateWithV1Alpha4Config(Config(spec)), kindcluster.CreateWithKubeconfigPath(file),
			kindcluster.CreateWithWaitForReady(readyTime), kindcluster.CreateWithDisplayUsage(false), kindcluster.CreateWithDisplaySalutation(false))
		if err != nil {
			return gitops.Problemf(gitops.Unreachable, "kind cannot make the cluster: %w", err)
		}
		return nil
	})
}

func (d *Driver) delete(name string, ours func() bool) error {
	provider, err := d.Detect()
	if err != nil && !ours() {
		return nil // nothing was made
	}
	if err != nil {
		return err
	}
	there, err := has(provider, prefix+name)
	if err != nil {
		return err
	}
	if there && ours() {
		err = aside(func(file string) error {
			if err := provider.Delete(prefix+name, file); err != nil {
				return gitops.Problemf(gitops.Unreachable, "kind cannot delete the cluster: %w", err)
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return d.unrecord(name)
}

// aside gives the library a kubeconfig to write to that is not the user's.
func aside(do func(file string) error) error {
	dir, err := os.MkdirTemp("", "causeway-kind-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for the kubeconfig: %w", err)
	}
	return errors.Join(do(filepath.Join(dir, "kubeconfig")), os.RemoveAll(dir))
}
