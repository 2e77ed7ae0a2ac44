package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/app"
)

// runFlags are what `run` is asked for.
type runFlags struct {
	*global

	rendering   renderingFlags
	noHosts     bool
	hosts       []string
	cacheDir    string
	interval    time.Duration
	local       time.Duration
	mirrors     []string
	listen      string
	workers     int
	elect       bool
	installCRDs bool
	logFormat   string
	logLevel    string
}

func newRun(g *global) *cobra.Command {
	r := &runFlags{global: g, logFormat: "text", logLevel: "info"}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the engine against a hub cluster, as the deployment does",
		Long: "Run the engine until ctrl-c. The hub is the cluster that the process runs in, or what --kubeconfig\n" +
			"and --context, a running local fleet or KUBECONFIG name.",
		Example: "  causeway run --kubeconfig ~/.kube/config --context hub --install-crds",
		Args:    none,
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&r.cacheDir, "cache-dir", "", "folder of fetched sources (default: in the user's cache folder)")
	f.DurationVar(&r.interval, "interval", 0, "time between two look-ups of a repository (default: 2m)")
	f.DurationVar(&r.local, "local-interval", 0, "time between two looks at a mirrored folder (default: 0.5s)")
	f.StringArrayVar(&r.mirrors, "mirror", nil, "serve the address URL from a local folder, as URL=PATH; can be repeated")
	f.StringVar(&r.listen, "listen", "", "address of metrics, health and webhooks, as in :8080 (default: off)")
	f.IntVar(&r.workers, "workers", 0, "Applications to reconcile at a time (default: 32)")
	f.BoolVar(&r.elect, "leader-elect", false, "stand by while another replica leads")
	f.BoolVar(&r.installCRDs, "install-crds", false, "create the API types where they are missing")
	r.rendering.register(f)
	f.BoolVar(&r.noHosts, "no-scm-providers", false, "never ask Git hosts for repositories or pull requests, whatever ApplicationSets say")
	f.StringSliceVar(&r.hosts, "allowed-scm-providers", nil, "globs of the API addresses of Git hosts that ApplicationSets may ask (default: all)")
	f.StringVar(&r.logFormat, "log-format", r.logFormat, "text or json")
	f.StringVar(&r.logLevel, "log-level", r.logLevel, "debug, info, warn or error")
	return cmd
}

func (r *runFlags) run(ctx context.Context) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(r.logLevel)); err != nil {
		return usagef("cannot log at level %q: use debug, info, warn or error", r.logLevel)
	}
	log, err := logTo(r.Err, r.logFormat, level)
	if err != nil {
		return err
	}
	mirrors, err := parseMirrors(r.mirrors)
	if err != nil {
		return err
	}
	h, err := r.hubToServe()
	if err != nil {
		return err
	}
	if r.installCRDs {
		if err := app.InstallCRDs(ctx, h.config); err != nil {
			return h.explain(err)
		}
	}
	rendering, err := r.rendering.load("")
	if err != nil {
		return err
	}
	log.Info("the engine starts", "version", r.version, "hub", h.config.Host, "namespace", h.namespace)
	err = app.Run(ctx, app.Config{
		Hub: h.config, Namespace: h.namespace, CacheDir: r.cacheDir, Interval: r.interval, LocalInterval: r.local,
		Mirrors: mirrors, Listen: r.listen, LeaderElection: r.elect, Workers: r.workers, Log: log,
		Rendering: rendering, NoHosts: r.noHosts, AllowedHosts: r.hosts,
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the engine ended: %w", h.explain(err))
	}
	return nil
}

// hubToServe is the cluster around the process, unless flags name another.
func (r *runFlags) hubToServe() (*hub, error) {
	if r.kubeconfig == "" && r.context == "" && r.fleet == "" {
		config, err := rest.InClusterConfig()
		if err == nil {
			return &hub{config: config, namespace: r.namespace, from: "the pod's service account"}, nil
		}
		if !errors.Is(err, rest.ErrNotInCluster) {
			return nil, fmt.Errorf("cannot use the pod's service account: %w", err)
		}
	}
	return r.connect()
}
