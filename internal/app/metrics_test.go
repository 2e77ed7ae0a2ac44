package app

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

var update = flag.Bool("update", false, "write docs/reference/metrics.md again")

const (
	metricsPage  = "../../docs/reference/metrics.md"
	metricsStart = "<!-- generated: go test ./internal/app -run TestMetricsAreDocumented -update -->\n"
	metricsEnd   = "<!-- end -->\n"
)

// libraryMetrics are those of libraries that the page, the dashboard and the
// alerts speak of.
var libraryMetrics = []string{"workqueue_depth", "workqueue_queue_duration_seconds", "rest_client_requests_total", "process_resident_memory_bytes", "go_goroutines"}

// TestMetricsAreDocumented compares what an engine shows with the reference.
func TestMetricsAreDocumented(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/a.yaml": configMapV1, "secret/a.yaml": storeAndSecret})
	e.adjust = func(c *Config) { c.AppMetrics, c.Secrets = true, true }
	e.restart()
	e.app("app", "app")
	e.app("secret", "secret")
	e.until("app", "good", good)
	e.until("secret", "good", good)
	if _, err := e.chronicle.Store.Get(t.Context(), e.syncs("app")[0].ID); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), metricsStart)
	written, after, ok2 := strings.Cut(rest, metricsEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", metricsPage)
	}
	// Some are there after the first probe, pruning or record alone.
	var table string
	read := func(context.Context) error {
		if table = metricsTable(t, e.metrics) + libraryTable(t); table != written {
			return fmt.Errorf("%s is not what the engine shows; run this test with -update (-page +engine):\n%s", metricsPage, cmp.Diff(written, table))
		}
		return nil
	}
	if *update {
		_ = read(t.Context())
		if err := os.WriteFile(metricsPage, []byte(before+metricsStart+table+metricsEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	embeddedtest.Eventually(t, read)
}

func metricsTable(t *testing.T, from prometheus.Gatherer) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| metric | type | labels | what |\n|---|---|---|---|\n")
	for _, f := range gathered(t, from) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), labelsOf(f), f.GetHelp())
	}
	return b.String()
}

func libraryTable(t *testing.T) string {
	t.Helper()
	all := gathered(t, ctrlmetrics.Registry)
	var b strings.Builder
	b.WriteString("\nFrom libraries, among others:\n\n| metric | type | labels |\n|---|---|---|\n")
	for _, name := range libraryMetrics {
		i := slices.IndexFunc(all, func(f *dto.MetricFamily) bool { return f.GetName() == name })
		if i < 0 {
			t.Errorf("there is no metric %s", name)
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ToLower(all[i].GetType().String()), labelsOf(all[i]))
	}
	return b.String()
}

func gathered(t *testing.T, from prometheus.Gatherer) []*dto.MetricFamily {
	t.Helper()
	all, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func labelsOf(f *dto.MetricFamily) string {
	names := map[string]bool{}
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			names["`"+l.GetName()+"`"] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
