package chronicle

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

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
	name, place := types.NamespacedName{Namespace: s.App.Namespace, Name: s.App.Name}, [2]string{telemetry.Label(s.Project), telemetry.Label(s.Server)}
	a.mu.Lock()
	defer a.mu.Unlock()
	if before, ok := a.last[name]; ok && before != place {
		a.drop(name)
	}
	a.last[name] = place
	a.syncs.WithLabelValues(name.Namespace, name.Name, place[0], place[1], telemetry.Label(s.Phase), strconv.FormatBool(s.DryRun)).Inc()
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
