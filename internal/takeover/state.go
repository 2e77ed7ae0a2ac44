package takeover

import (
	"cmp"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// State is how an application is.
type State struct {
	Sync   v1alpha1.SyncStatusCode   `json:"sync"`
	Health v1alpha1.HealthStatusCode `json:"health"`
}

// Good is the state that needs no record.
var Good = State{v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusHealthy}

func (s State) String() string { return string(s.Sync) + "/" + string(s.Health) }

// stateOf reads a status; what was never told is Unknown.
func stateOf(app *v1alpha1.Application) State {
	return State{
		Sync:   cmp.Or(app.Status.Sync.Status, v1alpha1.SyncStatusCodeUnknown),
		Health: cmp.Or(app.Status.Health.Status, v1alpha1.HealthStatusUnknown),
	}
}

// The states, best first.
var (
	syncOrder   = []v1alpha1.SyncStatusCode{v1alpha1.SyncStatusCodeSynced, v1alpha1.SyncStatusCodeOutOfSync, v1alpha1.SyncStatusCodeUnknown}
	healthOrder = []v1alpha1.HealthStatusCode{
		v1alpha1.HealthStatusHealthy, v1alpha1.HealthStatusSuspended, v1alpha1.HealthStatusProgressing,
		v1alpha1.HealthStatusMissing, v1alpha1.HealthStatusDegraded, v1alpha1.HealthStatusUnknown,
	}
)

// WorseThan reports whether an application is worse off than it was.
func (s State) WorseThan(before State) bool {
	return rank(syncOrder, s.Sync) > rank(syncOrder, before.Sync) || rank(healthOrder, s.Health) > rank(healthOrder, before.Health)
}

// rank of a word that is not known is behind all others.
func rank[T comparable](order []T, word T) int {
	if at := slices.Index(order, word); at >= 0 {
		return at
	}
	return len(order)
}

// Expected is the worst state that an application may have after the
// takeover: that of before, and OutOfSync where the comparison foretold it, or
// the Application becomes another one.
func (c *Comparison) Expected() State {
	s := c.State
	if (!c.Same() || c.Rewritten) && s.Sync == v1alpha1.SyncStatusCodeSynced {
		s.Sync = v1alpha1.SyncStatusCodeOutOfSync
	}
	return s
}
