package app

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// maxLabel bounds the value of a label that others write, in bytes.
const maxLabel = 512

// label is a text of others as the value of a label. One that is no UTF-8 would
// end the collection.
func label(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxLabel)], "\uFFFD")
}

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
	for _, text := range []string{label(d.Name), label(d.Server)} {
		if text != "" && !n[text] {
			n[text] = true
			return text
		}
	}
	return ""
}

// appCounter counts the syncs of each application. An application has the
// project and destination that it had last.
type appCounter struct {
	syncs *prometheus.CounterVec

	mu   sync.Mutex
	last map[types.NamespacedName][2]string
}

func newAppCounter() *appCounter {
	return &appCounter{last: map[types.NamespacedName][2]string{}, syncs: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "argocd_app_sync_total", Help: "Syncs of an application that ended, as Argo CD counts them.",
	}, []string{"namespace", "name", "project", "dest_server", "phase", "dry_run"})}
}

func (a *appCounter) count(s *history.Sync) {
	name, place := types.NamespacedName{Namespace: s.App.Namespace, Name: s.App.Name}, [2]string{label(s.Project), label(s.Server)}
	a.mu.Lock()
	defer a.mu.Unlock()
	if before, ok := a.last[name]; ok && before != place {
		a.drop(name)
	}
	a.last[name] = place
	a.syncs.WithLabelValues(name.Namespace, name.Name, place[0], place[1], label(s.Phase), strconv.FormatBool(s.DryRun)).Inc()
}

// forget takes an application away that is gone.
func (a *appCounter) forget(name types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, name)
	a.drop(name)
}

func (a *appCounter) drop(name types.NamespacedName) {
	a.syncs.DeletePartialMatch(prometheus.Labels{"namespace": name.Namespace, "name": name.Name})
}
