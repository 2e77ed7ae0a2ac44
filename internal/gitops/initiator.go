package gitops

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
