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

// InfoManifests in the info of an operation tells how many objects it brought.
const InfoManifests = OwnPrefix + "manifests"

// InfoInitiatorKnown in the info of an operation tells that the engine knew who
// asked for it. It counts under the engine's seal alone.
const InfoInitiatorKnown = OwnPrefix + "initiator-known"

// Initiator is who asked for an operation, as people are told. A name that
// anybody may have written is said to be unverified.
func Initiator(name string, known bool) string {
	if name == "" || known {
		return name
	}
	return name + " (unverified)"
}
