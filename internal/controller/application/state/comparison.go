package state

import (
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
)

// Comparison is an application's desired state beside its live one.
type Comparison struct {
	opstate.Wanted

	compare.Comparison

	// Asked tells that somebody asked for the look, and waits for what it finds.
	Asked bool
	// Withheld is why no automated sync was started although one is due.
	Withheld string
}

// ConfirmsInFlight bounds the dry runs of one application.
const ConfirmsInFlight = 8
