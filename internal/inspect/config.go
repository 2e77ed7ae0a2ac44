package inspect

import (
	"cmp"
	"errors"
	"log/slog"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/members"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Config says where it is looked, and how.
type Config struct {
	// Hub is the cluster that holds Applications, ApplicationSets, AppProjects and Secrets.
	Hub *rest.Config
	// Namespace is the control namespace; hub.DefaultNamespace when empty.
	Namespace string
	// ApplicationNamespaces are those besides it whose Applications are the
	// installation's; nil for what the hub says.
	ApplicationNamespaces []string
	// Mirrors serve addresses from local folders.
	Mirrors []source.Mirror
	// PrivateHosts lets files of repositories name what is at private addresses, and
	// reads with the keys of this machine: where the engine of the hub runs on it.
	PrivateHosts bool
	// NoPrograms runs no program that a cluster Secret names for its credential.
	NoPrograms bool
	// Rendering has plugins and keys.
	Rendering hub.Rendering
	Log       *slog.Logger
}

func (c Config) complete() (Config, error) {
	if c.Hub == nil {
		return c, errors.New("cannot look at a hub without its address")
	}
	// The API server's priority and fairness limits requests.
	c.Hub = rest.CopyConfig(c.Hub)
	c.Hub.QPS, c.Hub.Burst = -1, -1
	c.Namespace = cmp.Or(c.Namespace, hub.DefaultNamespace)
	c.Log = cmp.Or(c.Log, slog.Default())
	return c, nil
}

// reading is how repositories are read, and manifests made.
func (c *Config) reading() hub.Reading {
	return hub.Reading{
		Interval: hub.DefaultInterval, LocalInterval: hub.DefaultLocalInterval, Mirrors: c.Mirrors, PrivateHosts: c.PrivateHosts,
		Rendering: c.Rendering, Log: c.Log,
	}
}

// Stages are those of an engine that runs, with what it has read and remembers.
type Stages struct {
	Client client.Client
	// Direct asks the API server itself.
	Direct   client.Reader
	Sources  *source.Registry
	Creds    *hub.Credentials
	Render   *render.Renderer
	Settings *hub.Settings
	Fleet    *fleet.Fleet
	Clusters *members.Clusters
	Apply    *apply.Applier
	Checks   *observe.Checks
	Verify   hub.Verifier
	Room     *generate.Room
	Hosts    generate.Hosts
	// DoublestarFiles has git generators match files by path globs.
	DoublestarFiles bool
}

// With looks with the stages and caches of an engine. It is not closed.
func With(cfg Config, s Stages) *Inspector {
	return &Inspector{
		client: s.Client, direct: s.Direct, cfg: cfg, sources: s.Sources, creds: s.Creds, render: s.Render, settings: s.Settings,
		fleet: s.Fleet, clusters: s.Clusters, apply: s.Apply, checks: s.Checks, verify: s.Verify, room: s.Room, hosts: s.Hosts,
		doublestar: s.DoublestarFiles,
	}
}
