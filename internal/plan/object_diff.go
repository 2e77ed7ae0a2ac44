package plan

import "github.com/causeway-gitops/causeway/internal/gitops"

// ObjectDiff is what a sync would make of one object.
type ObjectDiff struct {
	Key gitops.Key
	// Verb is create, update or prune.
	Verb gitops.Verb
	Diff Diff
	// Origin is where the object is written.
	Origin gitops.Origin
	// Kept tells why it stays although it is no longer in the sources; then
	// there is no Diff. Empty for what a sync would change.
	Kept string
	// Drifted tells who changed what of it; empty when it is Git that changed.
	Drifted string
}
