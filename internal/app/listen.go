package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/serve"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	clusterapi "github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/scrape"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

// Times that bound a client of the small HTTP server.
const (
	readTime  = 10 * time.Second
	closeTime = 5 * time.Second
	// writeTime is long: a profile takes as long as whoever asks for it says.
	writeTime = 5 * time.Minute
	readyTime = 500 * time.Millisecond
)

// Bounds of what its clients have it hold, whoever they are.
const (
	// unreadAll are the bytes of answers that wait to be read, and unreadEach
	// those of one network, and of one site.
	unreadAll  = 64 << 20
	unreadEach = 32 << 20
	// connectionsAll are connections, and connectionsEach those of one network, and of one site.
	connectionsAll  = 1000
	connectionsEach = 700
)

// listen serves metrics, health and webhooks until ctx ends.
func (e *Engine) listen(ctx context.Context) error {
	l := e.cfg.Listener
	if l == nil && e.cfg.Listen == "" {
		return nil
	}
	if l == nil {
		var lc net.ListenConfig
		var err error
		if l, err = lc.Listen(ctx, "tcp", e.cfg.Listen); err != nil {
			return fmt.Errorf("cannot listen on %s: %w; choose another address with --listen", e.cfg.Listen, err)
		}
	}
	e.cfg.Log.InfoContext(ctx, "metrics, health and webhooks are served", "address", l.Addr().String())
	l = listener.Few(l, origin.Share{All: connectionsAll, Site: connectionsEach, Network: connectionsEach}, nil)
	server := &http.Server{Handler: e.routes(ctx), ReadHeaderTimeout: readTime, ReadTimeout: readTime, WriteTimeout: writeTime}
	defer listener.ShutDown(ctx, server)()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (e *Engine) routes(ctx context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", scrape.Handler(promhttp.HandlerFor(prometheus.Gatherers{e.metrics, ctrlmetrics.Registry}, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})))
	mux.Handle("/api/webhook", e.hooks)
	if api := e.historyAPI(ctx); api != nil {
		mux.Handle(syncs.Prefix, serve.Outside(api)) // who has its token has not signed in
		mux.Handle("GET "+clusterapi.Path, e.clusterAPI(ctx))
	}
	mux.HandleFunc("GET /readyz", e.ready)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	if e.cfg.Profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return backpressure.New(origin.Share{All: unreadAll, Site: unreadEach, Network: unreadEach}, nil).Wrap(mux)
}

// ready answers whether the hub has been read: before that, nothing is known
// of what there is to do.
func (e *Engine) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if !e.manager.GetCache().WaitForCacheSync(ctx) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the hub has not been read yet", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}
