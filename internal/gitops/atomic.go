package gitops

// Annotations of this engine's own on Applications.
const (
	// AnnotationAtomic of an Application, with true, brings the manifests of the
	// last good sync back when a sync does not get healthy. See
	// docs/how-to/atomic-sync.md.
	AnnotationAtomic = "causeway.io/atomic"
	// AnnotationAtomicTimeout of an Application is the time that each wave of an
	// atomic sync has to get healthy, as in 5m.
	AnnotationAtomicTimeout = "causeway.io/atomic-timeout"
)

// OptionAtomic is the sync option that AnnotationAtomic is the other form of.
const OptionAtomic = "Atomic"

// InfoRollback in the info of an operation names the sync whose manifests come
// back: the id of its trace, or its id in status.history. See
// docs/how-to/rollback.md.
const InfoRollback = "causeway.io/rollback"
