package state

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Brought is what an operation brings instead of what the sources say: the
// manifests of an earlier sync, or its own.
type Brought struct {
	// ID is the sync that a rollback goes back to; empty for manifests of the
	// operation's own.
	ID string
	// Server is the cluster of that sync.
	Server    string
	Rendering *gitops.Rendering
	Sources   v1alpha1.ApplicationSources
	// Origin is where the manifests came from; nil where that is not known.
	Origin *history.Origin
}
