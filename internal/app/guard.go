package app

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// guards are what the controllers share of the guard of deletions.
type guards struct {
	ledger *guard.Ledger
	// read are the settings of a text, so that it is read once.
	mu   *sync.Mutex
	text string
	read guard.Settings
}

func newGuards() guards {
	return guards{ledger: guard.NewLedger(), mu: &sync.Mutex{}, read: guard.Defaults()}
}

// guardSettings are the limits of deletions that the installation names now.
func (e *Engine) guardSettings() guard.Settings {
	text := e.settings.Data()[v1alpha1.SettingGuard]
	e.guard.mu.Lock()
	defer e.guard.mu.Unlock()
	if text == e.guard.text {
		return e.guard.read
	}
	read, err := guard.ParseSettings(text)
	if err != nil {
		e.cfg.Log.Warn("limits of deletions not understood", "configmap", v1alpha1.SettingsName, "error", err)
	}
	e.guard.text, e.guard.read = text, read
	return read
}

// setGuard is the guard of the deletions of sets: the engine and the server go
// by the same one.
func (e *Engine) setGuard() *applicationset.Guard {
	c := e.manager.GetClient()
	return &applicationset.Guard{
		Ledger: e.guard.ledger, Settings: e.guardSettings, Applications: c, Covers: e.cfg.covers, Log: e.cfg.Log,
		Project: e.projects().Project,
	}
}

// countHeld shows how many deletions are held now.
func (e *Engine) countHeld() {
	for _, kind := range []string{v1alpha1.ApplicationKind, v1alpha1.ApplicationSetKind, causeway.ClusterKind} {
		e.metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "causeway_deletions_held",
			Help:        "Deletions that wait for an approval: of objects by Applications, of Applications by ApplicationSets and Clusters.",
			ConstLabels: prometheus.Labels{"kind": kind},
		}, func() float64 { return float64(e.guard.ledger.Held(kind)) }))
	}
}
