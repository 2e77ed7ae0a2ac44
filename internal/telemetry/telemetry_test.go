package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/test/await"
)

func TestWanted(t *testing.T) {
	cases := map[string]struct {
		reason string
		o      Options
		env    map[string]string
		want   bool
	}{
		"nothing":  {reason: "spans are off by default"},
		"flag":     {reason: "the flag turns them on", o: Options{Endpoint: "http://c:4318"}, want: true},
		"variable": {reason: "so does the standard variable", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, want: true},
		"disabled": {reason: "the standard variable turns them off", o: Options{Endpoint: "http://c:4318"}, env: map[string]string{"OTEL_SDK_DISABLED": "true"}},
		"none":     {reason: "the other standard variable, too", o: Options{Endpoint: "http://c:4318"}, env: map[string]string{"OTEL_TRACES_EXPORTER": "none"}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := c.o.Wanted(func(name string) string { return c.env[name] }); got != c.want {
				t.Errorf("%s: got %t", c.reason, got)
			}
		})
	}
}

var at = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func aSync() *history.Sync {
	return &history.Sync{
		ID: history.ID("uid", at), App: history.App{Namespace: "argocd", Name: "web"}, Started: at, Finished: at.Add(3 * time.Second), Phase: "Failed", Message: "no",
		Waves: []history.Wave{{Phase: gitops.Sync, Started: at, Objects: []history.Object{{Kind: "Pod", Name: "a", Verb: gitops.Create, Started: at, Took: time.Second}}}},
	}
}

func TestSpansOfASync(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept), sdktrace.WithIDGenerator(ids{}))
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(provider)
	defer otel.SetTracerProvider(before)
	s := aSync()
	Sync(t.Context(), s)
	_, reconcile := otel.Tracer(Name).Start(Join(t.Context(), s.ID), "reconcile")
	reconcile.End()

	names, parents := map[trace.SpanID]string{}, map[string]string{}
	for _, span := range kept.GetSpans() {
		names[span.SpanContext.SpanID()] = span.Name
		if span.SpanContext.TraceID().String() != s.ID {
			t.Errorf("span %s is in another trace than the sync", span.Name)
		}
	}
	for _, span := range kept.GetSpans() {
		parents[span.Name] = names[span.Parent.SpanID()]
	}
	if diff := cmp.Diff(map[string]string{"sync": "", "wave": "sync", "create": "wave", "reconcile": "sync"}, parents); diff != "" {
		t.Errorf("spans and their parents (-want +got):\n%s", diff)
	}
}

// TestCollector sends spans to a collector.
func TestCollector(t *testing.T) {
	arrived := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived <- r.URL.Path }))
	defer server.Close()
	before := otel.GetTracerProvider()
	defer otel.SetTracerProvider(before)
	stop, err := Start(t.Context(), Options{Endpoint: server.URL + "/v1/traces", Version: "test", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	Sync(t.Context(), aSync())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), await.Limit)
	defer cancel()
	if err := stop(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case path := <-arrived:
		if path != "/v1/traces" {
			t.Errorf("spans went to %s", path)
		}
	case <-ctx.Done():
		t.Error("no spans arrived")
	}
}
