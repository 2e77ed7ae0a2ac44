package gitops

// What people write into the info of an operation, to ask for something.
const (
	// InfoIgnoreDependencies, set to true in the info of an operation, starts
	// the sync without waiting for what it depends on.
	InfoIgnoreDependencies = OwnPrefix + "ignore-dependencies"
	// InfoRollback, in the info of an operation, is the sync whose manifests
	// come back: the id of its trace, or its id in status.history. See
	// docs/how-to/rollback.md.
	InfoRollback = OwnPrefix + "rollback"
)
