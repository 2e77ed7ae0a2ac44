package app

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Config is everything that an engine can be told.
type Config struct {
	// Hub is the cluster that holds Applications, ApplicationSets, AppProjects and Secrets.
	Hub *rest.Config
	// Namespace is the control namespace; "argocd" when empty.
	Namespace string
	// CacheDir holds fetched repositories and charts. It can be deleted at any time.
	CacheDir string
	// Interval between two look-ups of a repository; 2 minutes when 0.
	Interval time.Duration
	// LocalInterval between two looks at a mirrored folder; half a second when 0.
	LocalInterval time.Duration
	// Mirrors serve addresses from local folders.
	Mirrors []source.Mirror
	// Rendering has plugins, keys and where renderings are kept.
	Rendering Rendering
	// Listen is the address of metrics, health and webhooks; empty for none.
	Listen string
	// LeaderElection lets several replicas stand by for one.
	LeaderElection bool
	// Workers is how many Applications are reconciled at a time; 32 when 0.
	Workers int
	// GitHosts open the Git hosts that generators ask; when nil, by their own
	// APIs with the tokens in Secrets.
	GitHosts generate.Hosts
	// NoHosts refuses generators that ask Git hosts: scmProvider and pullRequest.
	NoHosts bool
	// AllowedHosts are globs for the addresses of Git hosts' APIs that
	// generators may name; empty allows all. See host.Options.
	AllowedHosts []string
	Log          *slog.Logger
}

const (
	defaultNamespace     = "argocd"
	defaultInterval      = 2 * time.Minute
	defaultLocalInterval = 500 * time.Millisecond
	defaultWorkers       = 32
)

func (c Config) complete() (Config, error) {
	if c.Hub == nil {
		return c, errors.New("cannot start the engine without a hub cluster")
	}
	// The API server's priority and fairness limits requests; a limit of our
	// own would only leave it idle.
	c.Hub = rest.CopyConfig(c.Hub)
	c.Hub.QPS, c.Hub.Burst = -1, -1
	c.Namespace = orElse(c.Namespace, defaultNamespace)
	c.Interval = orElse(c.Interval, defaultInterval)
	c.LocalInterval = orElse(c.LocalInterval, defaultLocalInterval)
	c.Workers = orElse(c.Workers, defaultWorkers)
	c.Log = orElse(c.Log, slog.Default())
	if c.CacheDir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return c, fmt.Errorf("cannot find a cache folder: %w; set --cache-dir", err)
		}
		c.CacheDir = filepath.Join(base, "causeway")
	}
	return c, nil
}

func orElse[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
