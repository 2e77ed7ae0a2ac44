package gauges

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

var (
	syncCodes   = []v1alpha1.SyncStatusCode{v1alpha1.SyncStatusCodeSynced, v1alpha1.SyncStatusCodeOutOfSync}
	healthCodes = []v1alpha1.HealthStatusCode{
		v1alpha1.HealthStatusHealthy, v1alpha1.HealthStatusSuspended, v1alpha1.HealthStatusProgressing, v1alpha1.HealthStatusMissing, v1alpha1.HealthStatusDegraded,
	}
)

// syncLabel is the sync status of an Application: one that there is, whatever
// somebody wrote into the status.
func syncLabel(app *v1alpha1.Application) string {
	if code := app.Status.Sync.Status; slices.Contains(syncCodes, code) {
		return string(code)
	}
	return string(v1alpha1.SyncStatusCodeUnknown)
}

// healthLabel is the same of its health.
func healthLabel(app *v1alpha1.Application) string {
	if code := app.Status.Health.Status; slices.Contains(healthCodes, code) {
		return string(code)
	}
	return string(v1alpha1.HealthStatusUnknown)
}

// names gives each cluster a label of its own: two series of the same labels
// would spoil all metrics.
type names map[string]bool

// of is a cluster's name, or its address where another one has the name; empty
// where that is taken, too.
func (n names) of(d gitops.Cluster) string {
	for _, text := range []string{telemetry.Label(d.Name), telemetry.Label(d.Server)} {
		if text != "" && !n[text] {
			n[text] = true
			return text
		}
	}
	return ""
}
