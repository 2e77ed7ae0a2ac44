package v1

// LabelManaged marks Secrets that an ExternalSecret makes, as External Secrets does.
const LabelManaged = "reconcile.external-secrets.io/managed"

// EngineClass is the controller that stores name for this engine.
const EngineClass = "causeway"

// The label of the Deployment that External Secrets' own operator runs as.
const (
	LabelOperator = "app.kubernetes.io/name"
	OperatorName  = "external-secrets"
)

// Annotations of this engine, beside those of External Secrets. None tells of a value.
const (
	// Annotations is what they begin with.
	Annotations = "secrets.causeway.io/"
	// AnnotationChanged of a Secret is when other values were written last, in RFC 3339;
	// absent from one that was taken over and has not changed since.
	AnnotationChanged = Annotations + "changed"
	// AnnotationVersions of a Secret are the versions of entries that providers told, as a
	// JSON object by the keys of the entries; absent where no provider told one.
	AnnotationVersions = Annotations + "versions"
	// AnnotationLeases of a Secret are the leases of its values at their server, as JSON:
	// until when they count, and how they are renewed and revoked.
	AnnotationLeases = Annotations + "leases"
	// AnnotationRestart is "true" where workloads are restarted when a Secret changes that
	// they use: of a workload, of an ExternalSecret, or of a store.
	AnnotationRestart = Annotations + "restart"
	// AnnotationMetadata of an ExternalSecret that a ClusterExternalSecret made are the
	// labels and annotations that it has from there.
	AnnotationMetadata = Annotations + "metadata-from-cluster"
)
