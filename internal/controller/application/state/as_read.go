package state

import "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"

// AsRead is the operation of an Application as it was read.
type AsRead struct {
	// Foreign is when one began that has ended, and that the engine does not
	// vouch for; nil where there is none.
	Foreign *v1alpha1.Time
	// Pending is the status that was not written yet; nil where there was none.
	Pending *PendingStatus
}
