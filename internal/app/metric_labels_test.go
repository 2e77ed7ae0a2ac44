package app

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestLabelsOfStatuses: whoever may write a status makes no series of their own.
func TestLabelsOfStatuses(t *testing.T) {
	for given, want := range map[[2]string][2]string{
		{"Synced", "Healthy"}:              {"Synced", "Healthy"},
		{"OutOfSync", "Degraded"}:          {"OutOfSync", "Degraded"},
		{"", ""}:                           {"Unknown", "Unknown"},
		{"series 4711", "\xff"}:            {"Unknown", "Unknown"},
		{"synced", strings.Repeat("x", 9)}: {"Unknown", "Unknown"},
	} {
		app := &v1alpha1.Application{}
		app.Status.Sync.Status, app.Status.Health.Status = v1alpha1.SyncStatusCode(given[0]), v1alpha1.HealthStatusCode(given[1])
		if got := [2]string{syncLabel(app), healthLabel(app)}; got != want {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}

func TestLabel(t *testing.T) {
	for given, want := range map[string]string{
		"https://a":                       "https://a",
		"a\xffb":                          "a\uFFFDb",
		strings.Repeat("x", 2*maxLabel):   strings.Repeat("x", maxLabel),
		strings.Repeat("x", 511) + "€uro": strings.Repeat("x", 511) + "\uFFFD",
	} {
		if got := label(given); got != want || !utf8.ValidString(got) {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}

// TestClustersOfOneName have series of their own: two of the same labels would
// end all metrics.
func TestClustersOfOneName(t *testing.T) {
	n, got := names{}, []string{}
	for _, d := range []gitops.Cluster{{Name: "a", Server: "https://a"}, {Name: "a", Server: "https://b"}, {Name: "https://b", Server: "https://b"}, {Name: "", Server: "https://c"}} {
		got = append(got, n.of(d))
	}
	if diff := cmp.Diff([]string{"a", "https://b", "", "https://c"}, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

// TestSyncsOfAnApplicationAreForgotten with it, and those to another place as soon as it leaves that.
func TestSyncsOfAnApplicationAreForgotten(t *testing.T) {
	a, registry := newAppCounter(), prometheus.NewRegistry()
	registry.MustRegister(a.syncs)
	series := func() (n int) {
		for _, f := range gathered(t, registry) {
			n += len(f.GetMetric())
		}
		return n
	}
	sync := func(name, server string) {
		a.count(&history.Sync{App: history.App{Namespace: "argocd", Name: name}, Project: "p\xff", Server: server, Phase: "Succeeded"})
	}
	sync("other", "https://a")
	for i := range 100 {
		sync("shop", fmt.Sprint("https://", i))
	}
	if got := series(); got != 2 {
		t.Errorf("two applications have %d series", got)
	}
	a.forget(types.NamespacedName{Namespace: "argocd", Name: "shop"})
	if got := series(); got != 1 || len(a.last) != 1 {
		t.Errorf("of one that is left there are %d series, %d places", got, len(a.last))
	}
}
