package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/memory"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Config is everything that an engine can be told.
type Config struct {
	// Hub is the cluster that holds Applications, ApplicationSets, AppProjects and Secrets.
	Hub *rest.Config
	// Namespace is the control namespace; "argocd" when empty.
	Namespace string
	// ApplicationNamespaces are those besides the control namespace whose
	// Applications are the engine's: names, globs, and regular expressions
	// between slashes. When nil, argocd-cmd-params-cm names them.
	ApplicationNamespaces []string
	// CacheDir holds fetched repositories and charts. It can be deleted at any time.
	CacheDir string
	// Interval between two look-ups of a repository; 2 minutes when 0.
	Interval time.Duration
	// LocalInterval between two looks at a mirrored folder; half a second when 0.
	LocalInterval time.Duration
	// Mirrors serve addresses from local folders.
	Mirrors []source.Mirror
	// Folders lets Applications name folders of this machine, which are refused
	// otherwise: whoever writes an Application could read its disk.
	Folders bool
	// PrivateHosts lets files of repositories name what is at private addresses
	// or in mirrors and their project does not permit, which is refused otherwise:
	// for an engine on the machine of who uses it. Who looks at its hub then reads
	// over ssh with the keys of that machine, as the engine does. Stores of
	// secrets may name that machine, too.
	PrivateHosts bool
	// History says where what syncs did is kept.
	History chronicle.Config
	// Secrets has the ExternalSecrets of all clusters reconciled.
	Secrets bool
	// InCluster is that the engine runs in the hub, and reaches it as the service account
	// of its pod. ClusterSecretStores of the hub may then be read with what the engine is
	// to a cloud: elsewhere that is somebody's own, such as who is logged in.
	InCluster bool
	// AppMetrics has metrics of each application, by Argo CD's names.
	AppMetrics bool
	// Traces is the URL of an OTLP collector; the standard variables count when it is empty.
	Traces string
	// Version of the engine, for what it tells of itself.
	Version string
	// Rendering has plugins, keys and where renderings are kept.
	Rendering hub.Rendering
	// Listen is the address of metrics, health and webhooks; empty for none.
	Listen string
	// Listener is used instead of Listen when it is set.
	Listener net.Listener
	// Serving is where people and programs reach the product.
	Serving listener.At
	// NoPrograms runs no program that a cluster Secret names for its credential,
	// whatever the settings on the hub allow.
	NoPrograms bool
	// Profiles serves profiles of the process below /debug/pprof on Listen.
	Profiles bool
	// LeaderElection lets several replicas stand by for one.
	LeaderElection bool
	// Lease is how long a leader that says nothing any more is waited for; 15 seconds when 0.
	Lease time.Duration
	// Workers is how many Applications are reconciled at a time,
	// besides those that wait for a repository or a render; 48 when 0.
	Workers int
	// ClusterTimeout is how long a cluster may take to begin an answer; a
	// minute when 0.
	ClusterTimeout time.Duration
	// StuckAfter is how long a deletion may wait for one object until the
	// Application shows that as an error; a minute when 0.
	StuckAfter time.Duration
	// ManifestBytes is the memory for manifests that are compared and applied at a
	// time, in bytes; by the engine's memory when 0.
	ManifestBytes int64
	// StopWithin is how long reconciles may take to end when the engine stops,
	// which is an error after that; 10 seconds when 0.
	StopWithin time.Duration
	// Pauses are between two tries of the same.
	Pauses Pauses
	// GitHosts open the Git hosts that generators ask; when nil, by their own
	// APIs with the tokens in Secrets.
	GitHosts generate.Hosts
	// NoHosts refuses generators that ask Git hosts: scmProvider and pullRequest.
	NoHosts bool
	// Embedded says where embedded clusters that Git declares are kept.
	Embedded EmbeddedClusters
	// AllowedHosts are globs for the addresses of Git hosts' APIs that
	// generators may name; empty allows all. See host.Options.
	AllowedHosts []string
	Log          *slog.Logger
	// Now is the clock that decisions go by, such as when to retry; the
	// machine's when nil.
	Now func() time.Time

	// doublestarFiles: argocd-cmd-params-cm has git generators match files by path globs.
	doublestarFiles bool
}

// EmbeddedClusters are the clusters of the kind Cluster that run as children of
// the engine.
type EmbeddedClusters struct {
	// Dir has one folder a cluster; empty: none are made.
	Dir string
	// Most is how many run at a time; 0: none.
	Most int
}

const (
	defaultWorkers = 48
	defaultLease   = 15 * time.Second
	defaultStop    = 10 * time.Second
)

func (c Config) complete() (Config, error) {
	if c.Hub == nil {
		return c, errors.New("cannot start the engine without a hub cluster")
	}
	// The API server's priority and fairness limits requests; a limit of our
	// own would only leave it idle.
	c.Hub = rest.CopyConfig(c.Hub)
	c.Hub.QPS, c.Hub.Burst = -1, -1
	c.Namespace = cmp.Or(c.Namespace, hub.DefaultNamespace)
	c.Interval = cmp.Or(c.Interval, hub.DefaultInterval)
	c.LocalInterval = cmp.Or(c.LocalInterval, hub.DefaultLocalInterval)
	c.Workers = cmp.Or(c.Workers, defaultWorkers)
	c.Lease = cmp.Or(c.Lease, defaultLease)
	c.StopWithin = cmp.Or(c.StopWithin, defaultStop)
	c.ManifestBytes = cmp.Or(c.ManifestBytes, memory.Manifests(memory.There()))
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.CacheDir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return c, fmt.Errorf("cannot find a cache folder: %w; set --cache-dir", err)
		}
		c.CacheDir = filepath.Join(base, "causeway")
	}
	return c, nil
}

// withParams adds what the hub says where the configuration says nothing.
func (c Config) withParams() (Config, error) {
	params, err := hub.ReadParams(context.Background(), c.Hub, c.Namespace, c.Log)
	if err != nil {
		return c, err
	}
	c.doublestarFiles = params.DoublestarFiles()
	found, err := params.Namespaces(c.Namespace, c.ApplicationNamespaces)
	c.ApplicationNamespaces = found.Others
	return c, err
}

// namespaces are those whose Applications are the engine's concern.
func (c *Config) namespaces() hub.Namespaces {
	return hub.Namespaces{Control: c.Namespace, Others: c.ApplicationNamespaces}
}

// covers reports whether Applications of a namespace are the engine's concern.
func (c *Config) covers(namespace string) bool { return c.namespaces().Covers(namespace) }

// reading is how the engine reads repositories, and makes manifests.
func (c *Config) reading() hub.Reading {
	return hub.Reading{
		Interval: c.Interval, LocalInterval: c.LocalInterval, Mirrors: c.Mirrors, Folders: c.Folders, PrivateHosts: c.PrivateHosts,
		Rendering: c.Rendering, Log: c.Log,
	}
}
