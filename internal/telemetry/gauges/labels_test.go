package gauges

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
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
