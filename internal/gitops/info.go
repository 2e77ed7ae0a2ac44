package gitops

// What the info of an operation says beside what anybody writes into it. It is
// part of the status, so an engine that starts again knows it, too. Except for
// what asks for something, it counts under the engine's seal alone.
const (
	// InfoRequest bears a mark, by which whoever asked for the operation knows it again.
	InfoRequest = "request"
	// InfoIgnoreDependencies, with true, lets the sync begin whatever it depends on.
	InfoIgnoreDependencies = OwnPrefix + "ignore-dependencies"
	// InfoRollback names the sync whose manifests come back: the id of its trace,
	// or its id in status.history. See docs/how-to/rollback.md.
	InfoRollback = OwnPrefix + "rollback"
	// InfoManifests tells how many objects the operation brought: the manifests
	// themselves leave the status when it is over.
	InfoManifests = OwnPrefix + "manifests"

	// InfoSeal proves that the engine wrote the operation as it stands.
	InfoSeal = OwnPrefix + "seal"
	// InfoBegan says that the engine saw the operation begin when its status says.
	InfoBegan = OwnPrefix + "began"
	// InfoIgnored names what the operation claimed without a seal.
	InfoIgnored = OwnPrefix + "ignored"
	// InfoInitiatorKnown tells that the engine knew who asked for it.
	InfoInitiatorKnown = OwnPrefix + "initiator-known"

	// InfoHeldDigest and InfoHeldRevision name what is not tried again by itself:
	// what was rolled back from.
	InfoHeldDigest   = OwnPrefix + "held-digest"
	InfoHeldRevision = OwnPrefix + "held-revision"
	// InfoHeldAt and InfoHeldAtRevision name what an earlier operation went back
	// to, in one that leaves its hold as it is.
	InfoHeldAt         = OwnPrefix + "held-at"
	InfoHeldAtRevision = OwnPrefix + "held-at-revision"

	// InfoWave names the wave of an atomic sync that is waited for, and since when.
	InfoWave = OwnPrefix + "wave-since"
	// InfoFailure is why the sync failed that an automatic rollback undoes.
	InfoFailure = OwnPrefix + "rollback-because"
	// InfoSince is when that sync began.
	InfoSince = OwnPrefix + "rollback-undoes-since"

	// InfoCleared names the deletions that a person has approved. It lets an
	// engine that starts in the midst of them go on, although the list has become
	// shorter.
	InfoCleared = OwnPrefix + "deletions-approved"
	// InfoUnserved names, in a sync that failed for good, the kinds that the
	// cluster did not serve, as Kind.group parted by commas.
	InfoUnserved = OwnPrefix + "unserved-kinds"
)
