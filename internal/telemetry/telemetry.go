// Package telemetry sends spans of what the engine does to an OTLP collector.
//
// It is off unless an endpoint is named. Metrics are not its business, but for what
// their labels may hold: they are asked for by Prometheus, see gauges.
package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Options say where spans go.
type Options struct {
	// Endpoint is the URL of a collector, as in http://collector:4318; the
	// standard variables OTEL_EXPORTER_OTLP_* count when it is empty.
	Endpoint string
	Version  string
	Log      *slog.Logger
}

// Wanted reports whether spans are sent.
func (o Options) Wanted(lookup func(string) string) bool {
	if strings.EqualFold(lookup("OTEL_SDK_DISABLED"), "true") || lookup("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return o.Endpoint != "" || lookup("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || lookup("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Start begins to send spans, if that is wanted. The function that it returns
// sends what is left.
func Start(ctx context.Context, o Options) (stop func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	if !o.Wanted(os.Getenv) {
		return nothing, nil
	}
	var options []otlptracehttp.Option
	if o.Endpoint != "" {
		address, err := collector(o.Endpoint)
		if err != nil {
			return nothing, err
		}
		options = append(options, otlptracehttp.WithEndpointURL(address))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nothing, fmt.Errorf("cannot send spans: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "causeway"), attribute.String("service.version", o.Version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nothing, fmt.Errorf("cannot describe the engine to the collector: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("spans are not sent", "error", err) }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about), sdktrace.WithIDGenerator(ids{}))
	otel.SetTracerProvider(provider)
	return provider.Shutdown, nil
}

// collector is the URL of a collector, which has its usual path where it has none. What is
// no URL is refused: the exporter would send to this machine instead, or to nobody.
func collector(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", gitops.Problemf(gitops.Invalid, "cannot send spans to %q: it is no URL of a collector that takes OTLP over HTTP", gitops.PublicAddress(endpoint)).
			Do("write --otlp-endpoint as in http://collector:4318/v1/traces")
	}
	if u.Path == "/" {
		u.Path = ""
	}
	return u.String(), nil
}
