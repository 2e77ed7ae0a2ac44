package telemetry

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

// arrival is what a collector was sent.
type arrival struct {
	path string
	body []byte
}

// sent has a collector answer to the spans of a sync, and tells what it was sent and what
// was logged.
func sent(t *testing.T, path string, status int) (arrived []arrival, logged string) {
	t.Helper()
	all := make(chan arrival, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all <- arrival{r.URL.Path, body}
		w.WriteHeader(status)
	}))
	before := otel.GetTracerProvider()
	defer otel.SetTracerProvider(before)
	var log bytes.Buffer
	stop, err := Start(t.Context(), Options{Endpoint: server.URL + path, Version: "v1.2.3-tried", Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	Sync(t.Context(), aSync())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), await.Limit)
	defer cancel()
	if err := stop(ctx); err != nil {
		t.Fatal(err)
	}
	server.Close()
	close(all)
	for a := range all {
		arrived = append(arrived, a)
	}
	return arrived, log.String()
}

// TestCollector is sent what is left when the engine ends, and from which engine it is.
func TestCollector(t *testing.T) {
	for name, tc := range map[string]struct{ reason, path, want string }{
		"Path":  {"where it is said", "/collect/here", "/collect/here"},
		"None":  {"by default where collectors take traces", "", "/v1/traces"},
		"Slash": {"also where an address ends as addresses do", "/", "/v1/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			arrived, logged := sent(t, tc.path, http.StatusOK)
			if len(arrived) != 1 || arrived[0].path != tc.want || logged != "" {
				t.Fatalf("%s: %d requests arrived: %+v; logged is %s", tc.reason, len(arrived), arrived, logged)
			}
			for _, text := range []string{"causeway", "v1.2.3-tried", "argocd"} {
				if !bytes.Contains(arrived[0].body, []byte(text)) {
					t.Errorf("%s: the spans do not tell of %s", tc.reason, text)
				}
			}
		})
	}
}

// TestCollectorThatRefuses: that spans are lost is in the log, where the one looks who misses them.
func TestCollectorThatRefuses(t *testing.T) {
	arrived, logged := sent(t, "/v1/traces", http.StatusUnauthorized)
	if len(arrived) != 1 || !strings.Contains(logged, "spans are not sent") || !strings.Contains(logged, "401") {
		t.Errorf("%d requests arrived, and logged is %s", len(arrived), logged)
	}
}

// TestEndpointsThatAreNone are refused, and what opens one is not told.
func TestEndpointsThatAreNone(t *testing.T) {
	for name, tc := range map[string]struct{ reason, endpoint, shown string }{
		"Address": {"spans went to this machine instead", "10.0.0.1:4318", "10.0.0.1:4318"},
		"Host":    {"they went to nobody", "collector:4318", "collector:4318"},
		"Nobody":  {"as they did here", "http:///v1/traces", "http:///v1/traces"},
		"gRPC":    {"another protocol, which none of its collectors would take", "grpc://collector:4317", "grpc://collector:4317"},
		"Port":    {"no port", "http://collector:port", ""},
		"Secret":  {"a password stays one", "grpc://ann:hunter2@collector:4317", "collector:4317"},
	} {
		t.Run(name, func(t *testing.T) {
			before := otel.GetTracerProvider()
			stop, err := Start(t.Context(), Options{Endpoint: tc.endpoint, Log: slog.New(slog.DiscardHandler)})
			if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), tc.shown) || !strings.Contains(err.Error(), "write --otlp-endpoint as in http://") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if err := stop(t.Context()); err != nil || otel.GetTracerProvider() != before {
				t.Errorf("%s: spans are sent all the same: %v", tc.reason, err)
			}
		})
	}
}

// TestNobodyIsSentSpans where nobody asked for it.
func TestNobodyIsSentSpans(t *testing.T) {
	t.Setenv("OTEL_SDK_DISABLED", "true")
	before := otel.GetTracerProvider()
	stop, err := Start(t.Context(), Options{Endpoint: "nonsense"})
	if err != nil || stop(t.Context()) != nil || otel.GetTracerProvider() != before {
		t.Errorf("spans that are switched off are sent, or their address is read: %v", err)
	}
}
