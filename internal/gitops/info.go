package gitops

// What people write into the info of an operation, to ask for something.
const (
	// InfoIgnoreDependencies in the info of an operation, with true, lets the
	// sync begin whatever it depends on.
	InfoIgnoreDependencies = OwnPrefix + "ignore-dependencies"
	// InfoRollback in the info of an operation names the sync whose manifests
	// come back: the id of its trace, or its id in status.history. See
	// docs/how-to/rollback.md.
	InfoRollback = OwnPrefix + "rollback"
)
