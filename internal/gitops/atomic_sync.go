package gitops

// Annotations of this engine's own on Applications.
const (
	// AnnotationAtomic of an Application, with true, brings the manifests of the
	// last good sync back when a sync does not get healthy. See
	// docs/how-to/atomic-sync.md.
	AnnotationAtomic = OwnPrefix + "atomic"
	// AnnotationAtomicTimeout of an Application is the time that each wave of an
	// atomic sync has to get healthy, as in 5m.
	AnnotationAtomicTimeout = OwnPrefix + "atomic-timeout"
)

// OptionAtomic is the sync option that AnnotationAtomic is the other form of.
const OptionAtomic = "Atomic"
