package state

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// PendingStatus is a status that is not written yet.
type PendingStatus struct {
	UID    types.UID
	Status v1alpha1.ApplicationStatus
	// Project is that in which it was found out: in another one an operation is not gone
	// on with.
	Project string
	// lost tells that writing failed: the status counts as long as the
	// Application still says what it said then, which is base.
	lost bool
	base v1alpha1.ApplicationStatus
	// consumed is the request that the status has begun to answer.
	consumed *v1alpha1.Operation
	// until is when a status that was deferred is written at the latest; zero of others.
	until time.Time
}
