package gitops

// What the product itself writes into the info of an operation. It is part of the
// status, so an engine that starts again knows it, too. What claims something
// counts under the engine's seal alone.
const (
	// InfoRequest bears a mark, by which a command or the API knows the operation
	// again that it asked for.
	InfoRequest = "request"
	// InfoManifests tells how many objects the operation brought: the manifests
	// themselves leave the status when it is over.
	InfoManifests = OwnPrefix + "manifests"

	// InfoSeal proves that the engine wrote the operation as it stands.
	InfoSeal = OwnPrefix + "seal"
	// InfoBegan names what the engine saw the operation begin to bring, and when that was.
	InfoBegan = OwnPrefix + "began"
	// InfoIgnored names what the operation claimed without a seal.
	InfoIgnored = OwnPrefix + "ignored"
	// InfoAsked names a request, and begins with when it was made: it counts once, and
	// for a while.
	InfoAsked = OwnPrefix + "asked"
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

	// InfoKept names the sync whose kept manifests a rollback began with: it goes on with these.
	InfoKept = OwnPrefix + "rollback-kept"

	// InfoWave names the wave of an atomic sync that is waited for, and since when.
	InfoWave = OwnPrefix + "wave-since"
	// InfoFailure is why the sync failed that an automatic rollback undoes.
	InfoFailure = OwnPrefix + "rollback-because"
	// InfoUndoes is when that sync began: what is older is not its work.
	InfoUndoes = OwnPrefix + "rollback-undoes"
	// InfoWhere is the destination of that sync: no window holds up its rollback there.
	InfoWhere = OwnPrefix + "rollback-where"
	// InfoSince is the same where that sync did not prune, and what is older stays.
	InfoSince = OwnPrefix + "rollback-undoes-since"

	// InfoCleared names the deletions that a person has approved. It lets an
	// engine that starts in the midst of them go on, although the list has become
	// shorter.
	InfoCleared = OwnPrefix + "deletions-approved"
	// InfoUnserved names, in a sync that failed for good, the kinds that the
	// cluster did not serve, as Kind.group separated by commas.
	InfoUnserved = OwnPrefix + "unserved-kinds"
)
