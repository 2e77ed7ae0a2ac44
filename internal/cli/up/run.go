package up

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
	sessions "github.com/causeway-gitops/causeway/internal/server/session"
)

// runFlags are what `run` is asked for.
type runFlags struct {
	*command.Global

	rendering   checkout.RenderingFlags
	store       storeFlags
	traces      string
	appMetrics  bool
	secrets     bool
	noHosts     bool
	hosts       []string
	cacheDir    string
	namespaces  []string
	interval    time.Duration
	local       time.Duration
	mirrors     []string
	listen      string
	serving     listener.At
	proxies     []string
	profiles    bool
	workers     int
	timeout     time.Duration
	elect       bool
	installCRDs bool
	embedded    int
	logFormat   string
	logLevel    string
}

// NewRun returns the command run.
func NewRun(g *command.Global) *cobra.Command {
	r := &runFlags{Global: g, logFormat: "text", logLevel: "info"}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the engine against a hub cluster, as the deployment does",
		Long: "Run the engine until ctrl-c. The hub is the cluster that the process runs in, or what --kubeconfig\n" +
			"and --context, a running local fleet or KUBECONFIG name.",
		Example: "  causeway run --kubeconfig ~/.kube/config --context hub --install-crds",
		Args:    command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := unsigned(cmd.Flags(), "workers", "embedded-clusters"); err != nil {
				return err
			}
			return r.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.namespaces, "application-namespaces", nil, "further namespaces of Applications: names, globs, or /expressions/ (default: application.namespaces of argocd-cmd-params-cm)")
	f.StringVar(&r.cacheDir, "cache-dir", "", "folder of fetched sources (default: in the user's cache folder)")
	f.DurationVar(&r.interval, "interval", 0, "time between two look-ups of a repository (default: 2m)")
	f.DurationVar(&r.local, "local-interval", 0, "time between two looks at a mirrored folder (default: 0.5s)")
	f.StringArrayVar(&r.mirrors, "mirror", nil, "serve the address URL from a local folder, as URL=PATH; can be repeated")
	f.StringVar(&r.listen, "listen", "", "address of metrics, health and webhooks, as in :8080 (default: off)")
	f.StringVar(&r.serving.Listen, "serve", "", "address of the pages for the browser and the API, as in :8443 (default: off)")
	f.StringVar(&r.serving.CertFile, "tls-cert-file", "", "certificate of the pages and the API; without one they are served in the clear, for a proxy that ends TLS")
	f.StringVar(&r.serving.KeyFile, "tls-key-file", "", "key of --tls-cert-file")
	f.BoolVar(&r.serving.GenerateTLS, "tls-generate", false, "serve the pages and the API by TLS with the certificate of argocd-secret, or else one that is made, kept in a Secret and renewed")
	f.StringSliceVar(&r.serving.TLSHosts, "tls-hosts", nil, "names and addresses that --tls-generate makes the certificate for, besides those of the Service")
	f.BoolVar(&r.serving.Exec, "exec", false, "let people open terminals in containers, as their policy and the clusters let them, unless exec.enabled of argocd-cm says otherwise")
	f.StringSliceVar(&r.proxies, "trusted-proxies", nil, "networks of proxies before --serve, as in 10.0.0.0/8, whose X-Forwarded-For, Forwarded and X-Forwarded-Proto count")
	f.BoolVar(&r.profiles, "pprof", false, "serve profiles of memory, CPU and goroutines below /debug/pprof on the address of --listen")
	f.IntVar(&r.workers, "workers", 0, "Applications to work on at a time, besides those that wait for a repository or a render (default: 48)")
	f.DurationVar(&r.timeout, "cluster-timeout", 0, "how long a cluster may take to begin an answer (default: 1m)")
	f.BoolVar(&r.elect, "leader-elect", false, "stand by while another replica leads")
	f.BoolVar(&r.installCRDs, "install-crds", false, "create the API types where they are missing")
	f.IntVar(&r.embedded, "embedded-clusters", mostEmbedded, "embedded clusters that objects of the kind Cluster may have at a time; their data is in --state-dir (0: none)")
	r.rendering.Register(f)
	r.store.register(f)
	f.StringVar(&r.traces, "otlp-endpoint", "", "URL of an OTLP collector to send spans to, as in http://collector:4318/v1/traces (also: OTEL_EXPORTER_OTLP_ENDPOINT; default: off)")
	f.BoolVar(&r.secrets, "secrets", false, secretsUsage)
	f.BoolVar(&r.appMetrics, "app-metrics", false, "have metrics of each application, by Argo CD's names: several series an application")
	f.BoolVar(&r.noHosts, "no-scm-providers", false, "never ask Git hosts for repositories or pull requests, whatever ApplicationSets say")
	f.StringSliceVar(&r.hosts, "allowed-scm-providers", nil, "globs of the API addresses of Git hosts that ApplicationSets may ask (default: all)")
	f.StringVar(&r.logFormat, "log-format", r.logFormat, "text or json")
	f.StringVar(&r.logLevel, "log-level", r.logLevel, "debug, info, warn or error")
	return cmd
}

// Clusters that Git declares and that run as children of the engine.
const (
	mostEmbedded = 8
	declaredDir  = "declared"
)

func (r *runFlags) run(ctx context.Context) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(r.logLevel)); err != nil {
		return command.Usagef("cannot log at level %q: use debug, info, warn or error", r.logLevel)
	}
	log, err := command.LogTo(r.Err, r.logFormat, level)
	if err != nil {
		return err
	}
	if (r.serving.CertFile == "") != (r.serving.KeyFile == "") {
		return command.Usagef("give both --tls-cert-file and --tls-key-file, or neither")
	}
	if r.serving.GenerateTLS && r.serving.CertFile != "" {
		return command.Usagef("give either --tls-generate or --tls-cert-file")
	}
	if r.serving.Proxies, err = sessions.ParseProxies(r.proxies); err != nil {
		return command.Usagef("--trusted-proxies: %w", err)
	}
	mirrors, err := command.ParseMirrors(r.mirrors)
	if err != nil {
		return err
	}
	rendering, err := r.rendering.Load("")
	if err != nil {
		return err
	}
	history, err := r.store.config()
	if err != nil {
		return err
	}
	h, err := r.hubToServe()
	if err != nil {
		return err
	}
	if r.installCRDs {
		if err := install.Definitions(ctx, h.Config); err != nil {
			return h.Explain(err)
		}
	}
	declared, err := r.declaredClusters(h.Namespace)
	if err != nil {
		log.Warn("embedded clusters cannot be declared: there is no folder for them", "error", err)
	}
	log.Info("the engine starts", "version", r.Version, "hub", h.Config.Host, "namespace", h.Namespace)
	err = app.Run(ctx, app.Config{
		Hub: h.Config, NoPrograms: h.NoPrograms(), Namespace: h.Namespace, ApplicationNamespaces: r.namespaces, CacheDir: r.cacheDir, Interval: r.interval, LocalInterval: r.local,
		Mirrors: mirrors, Listen: r.listen, Serving: r.serving, Profiles: r.profiles, LeaderElection: r.elect, Workers: r.workers, ClusterTimeout: r.timeout, Log: log,
		Embedded:  app.EmbeddedClusters{Dir: declared, Most: r.embedded},
		Rendering: rendering, History: history, AppMetrics: r.appMetrics, Secrets: r.secrets, InCluster: h.InCluster, Traces: r.traces, Version: r.Version, NoHosts: r.noHosts, AllowedHosts: r.hosts,
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the engine ended: %w", h.Explain(err))
	}
	return nil
}

// declaredClusters is the folder of embedded clusters that Git declares; empty
// for none.
func (r *runFlags) declaredClusters(namespace string) (string, error) {
	if r.embedded == 0 {
		return "", nil
	}
	state, err := target.StateFolder(r.Global)
	if err == nil {
		state, err = filepath.Abs(state)
	}
	if err != nil {
		return "", fmt.Errorf("cannot find the state folder: %w", err)
	}
	return filepath.Join(state, declaredDir, namespace), nil
}

// hubToServe is the cluster around the process, unless flags name another.
func (r *runFlags) hubToServe() (*target.Hub, error) {
	if r.Kubeconfig == "" && r.Context == "" && r.Fleet == "" {
		config, err := rest.InClusterConfig()
		if err == nil {
			return &target.Hub{Config: config, Namespace: r.Namespace, From: "the pod's service account", InCluster: true}, nil
		}
		if !errors.Is(err, rest.ErrNotInCluster) {
			return nil, fmt.Errorf("cannot use the pod's service account: %w", err)
		}
	}
	return target.Connect(r.Global)
}
