package gitops

// Annotations of this engine's own on Applications.
const (
	// AnnotationAtomic, set to true on an Application, brings back the
	// manifests of the last successful sync when a sync does not become
	// healthy. See docs/how-to/atomic-sync.md.
	AnnotationAtomic = OwnPrefix + "atomic"
	// AnnotationAtomicTimeout, on an Application, is how long each wave of an
	// atomic sync may take to become healthy, such as 5m.
	AnnotationAtomicTimeout = OwnPrefix + "atomic-timeout"
)

// OptionAtomic is the sync option that AnnotationAtomic is the other form of.
const OptionAtomic = "Atomic"
