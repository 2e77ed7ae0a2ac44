package app

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// guards are what the controllers share of the guard of deletions.
type guards struct {
	ledger   *guard.Ledger
	settings *guard.Current
}

func newGuards() guards { return guards{ledger: guard.NewLedger(), settings: &guard.Current{}} }

// guardSettings are the limits of deletions that the installation names now.
func (e *Engine) guardSettings() guard.Settings {
	read, err := e.guard.settings.Of(e.settings.Data()[v1alpha1.SettingGuard])
	if err != nil {
		e.cfg.Log.Warn("limits of deletions not understood", "configmap", v1alpha1.SettingsName, "error", err)
	}
	return read
}

// setGuard is the guard of the deletions of sets: the engine and the server go
// by the same one.
func (e *Engine) setGuard() *applicationset.Guard {
	c := e.manager.GetClient()
	return &applicationset.Guard{
		Ledger: e.guard.ledger, Settings: e.guardSettings, Applications: c, Covers: e.cfg.covers, Log: e.cfg.Log,
		Project: e.projects().Project, Now: e.cfg.Now,
	}
}
