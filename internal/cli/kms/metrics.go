package kms

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/causeway-gitops/causeway/internal/kms"
)

// metrics count what API servers ask.
type metrics struct {
	registry *prometheus.Registry
	took     *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "causeway_kms_request_duration_seconds", Help: "How long what API servers asked took, by what it was and whether it was done.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 7), //nolint:mnd // from a millisecond to four seconds
		}, []string{"asked", "result"}),
	}
	m.registry.MustRegister(m.took, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) observe(asked string, took time.Duration, err error) {
	result := "done"
	if err != nil {
		result = "failed"
	}
	m.took.WithLabelValues(asked, result).Observe(took.Seconds())
}

const (
	readTime  = 10 * time.Second
	writeTime = 30 * time.Second
	endTime   = 3 * time.Second
)

func routes(server *kms.Server, m *metrics) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	// Why a key does not work is in the log and in the API server's health: whoever reaches this address need not know it.
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if _, err := server.Check(r.Context()); err != nil {
			http.Error(w, "the key cannot be used: the log tells why", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
}

func listenOn(ctx context.Context, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot serve metrics and health on %s: %w", address, err)
	}
	return l, nil
}

func serveHTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: readTime, ReadTimeout: readTime, WriteTimeout: writeTime}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		_ = server.Shutdown(late)
	})
	err := server.Serve(l)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-ended
	return nil
}
