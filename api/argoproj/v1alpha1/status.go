package v1alpha1

// ApplicationStatus is what the engine last saw and did.
type ApplicationStatus struct {
	// Resources are the objects of the application; those that are Synced and
	// Healthy are left out where the status would grow too large.
	Resources []ResourceStatus `json:"resources,omitempty"`
	// Sync compares the cluster with the sources.
	// +optional
	Sync SyncStatus `json:"sync,omitzero"`
	// Health of the whole: the worst of the objects'.
	// +optional
	Health AppHealthStatus `json:"health,omitzero"`
	// History of successful syncs, oldest first: as many as
	// spec.revisionHistoryLimit says, 10 where it says nothing.
	History RevisionHistories `json:"history,omitempty"`
	// Conditions are errors and warnings.
	Conditions []ApplicationCondition `json:"conditions,omitempty"`
	// ReconciledAt is the last time that something in the status changed.
	ReconciledAt *Time `json:"reconciledAt,omitempty"`
	// OperationState is the last operation.
	OperationState *OperationState `json:"operationState,omitempty"`
	// ObservedAt is when the state was last looked at. The engine does not write it.
	ObservedAt *Time `json:"observedAt,omitempty"`
	// SourceType is the tool of the source.
	SourceType ApplicationSourceType `json:"sourceType,omitempty"`
	// Summary for lists.
	// +optional
	Summary ApplicationSummary `json:"summary,omitzero"`
	// ResourceHealthSource is where the health of the objects is kept when not
	// here. The engine does not write it: their health is here.
	ResourceHealthSource ResourceHealthLocation `json:"resourceHealthSource,omitempty"`
	// SourceTypes are the tools of the sources.
	SourceTypes []ApplicationSourceType `json:"sourceTypes,omitempty"`
	// ControllerNamespace is the namespace of the engine that last reconciled it.
	// The engine does not write it.
	ControllerNamespace string `json:"controllerNamespace,omitempty"`
	// SourceHydrator is the state of the hydrator. The engine does not write it:
	// it has none.
	// +optional
	SourceHydrator SourceHydratorStatus `json:"sourceHydrator,omitzero"`
}

// ResourceHealthLocation is where the health of objects is kept.
type ResourceHealthLocation string

// Where the health of objects is kept: in the status, or only in the tree.
const (
	ResourceHealthLocationInline  ResourceHealthLocation = ""
	ResourceHealthLocationAppTree ResourceHealthLocation = "appTree"
)

// SyncStatusCode reports whether the cluster is as the sources say.
type SyncStatusCode string

// The sync status codes.
const (
	SyncStatusCodeUnknown   SyncStatusCode = "Unknown"
	SyncStatusCodeSynced    SyncStatusCode = "Synced"
	SyncStatusCodeOutOfSync SyncStatusCode = "OutOfSync"
)

// SyncStatus compares the cluster with the sources.
type SyncStatus struct {
	// Status is the outcome; Unknown when the comparison could not be made.
	Status SyncStatusCode `json:"status"`
	// ComparedTo is the part of the spec that was compared.
	// +optional
	ComparedTo ComparedTo `json:"comparedTo,omitzero"`
	// Revision at which the application was last found different from before. A
	// commit that changes nothing the application reads is not written here: it
	// may be older than the branch, and the application still in sync with it.
	// Who asks for a refresh finds the revision that was looked at.
	Revision string `json:"revision,omitempty"`
	// Revisions of the sources, where there are several, as revision.
	Revisions []string `json:"revisions,omitempty"`
}

// ComparedTo is the part of a spec that a comparison was made with.
type ComparedTo struct {
	// Source compared.
	// +optional
	Source ApplicationSource `json:"source,omitzero"`
	// Destination compared.
	Destination ApplicationDestination `json:"destination"`
	// Sources compared.
	Sources ApplicationSources `json:"sources,omitempty"`
	// IgnoreDifferences in effect.
	IgnoreDifferences IgnoreDifferences `json:"ignoreDifferences,omitempty"`
}

// HealthStatusCode is the health of an object or application.
type HealthStatusCode string

// The health status codes, best first.
const (
	HealthStatusHealthy     HealthStatusCode = "Healthy"
	HealthStatusSuspended   HealthStatusCode = "Suspended"
	HealthStatusProgressing HealthStatusCode = "Progressing"
	HealthStatusMissing     HealthStatusCode = "Missing"
	HealthStatusDegraded    HealthStatusCode = "Degraded"
	HealthStatusUnknown     HealthStatusCode = "Unknown"
)

// AppHealthStatus is the health of an application.
type AppHealthStatus struct {
	// Status is the code.
	Status HealthStatusCode `json:"status,omitempty"`
	// Message for people. The engine does not write it.
	Message string `json:"message,omitempty"`
	// LastTransitionTime is when the code last changed.
	LastTransitionTime *Time `json:"lastTransitionTime,omitempty"`
}

// HealthStatus is the health of an object.
type HealthStatus struct {
	// Status is the code.
	Status HealthStatusCode `json:"status,omitempty"`
	// Message for people.
	Message string `json:"message,omitempty"`
	// LastTransitionTime is when the code last changed.
	LastTransitionTime *Time `json:"lastTransitionTime,omitempty"`
}

// ResourceStatus is the state of one object of an application.
type ResourceStatus struct {
	// Group of the object.
	Group string `json:"group,omitempty"`
	// Version of the object.
	Version string `json:"version,omitempty"`
	// Kind of the object.
	Kind string `json:"kind,omitempty"`
	// Namespace of the object.
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	Name string `json:"name,omitempty"`
	// Status of the object, compared with the sources.
	Status SyncStatusCode `json:"status,omitempty"`
	// Health of the object.
	Health *HealthStatus `json:"health,omitempty"`
	// Hook is true for a hook.
	Hook bool `json:"hook,omitempty"`
	// RequiresPruning is true for an object that is no longer in the sources.
	RequiresPruning bool `json:"requiresPruning,omitempty"`
	// SyncWave it belongs to.
	SyncWave int64 `json:"syncWave,omitempty"`
	// RequiresDeletionConfirmation is true where a person has to confirm the deletion.
	RequiresDeletionConfirmation bool `json:"requiresDeletionConfirmation,omitempty"`
}

// RevisionHistories are past deployments, oldest first.
type RevisionHistories []RevisionHistory

// RevisionHistory is one past deployment.
type RevisionHistory struct {
	// Revision that was deployed.
	Revision string `json:"revision,omitempty"`
	// DeployedAt is when the sync ended.
	DeployedAt Time `json:"deployedAt"`
	// ID counts deployments.
	ID int64 `json:"id"`
	// Source that was deployed.
	// +optional
	Source ApplicationSource `json:"source,omitzero"`
	// DeployStartedAt is when the sync began.
	DeployStartedAt *Time `json:"deployStartedAt,omitempty"`
	// Sources that were deployed.
	Sources ApplicationSources `json:"sources,omitempty"`
	// Revisions of the sources that were deployed.
	Revisions []string `json:"revisions,omitempty"`
	// InitiatedBy is who asked.
	// +optional
	InitiatedBy OperationInitiator `json:"initiatedBy,omitzero"`
}

// ApplicationConditionType names what is wrong with an application.
type ApplicationConditionType = string

// The types of conditions; names with Error stop the application, names with
// Warning do not. What is written here of each is its reference.
const (
	// ApplicationConditionInvalidSpecError: the project, the destination or the
	// sources cannot be used, or the Application takes too much memory, until
	// the spec, status, project or cluster is repaired.
	ApplicationConditionInvalidSpecError ApplicationConditionType = "InvalidSpecError"
	// ApplicationConditionComparisonError: fetching, rendering or comparing
	// failed, until that stage succeeds.
	ApplicationConditionComparisonError ApplicationConditionType = "ComparisonError"
	// ApplicationConditionSyncError: the last automated sync failed, until
	// another one succeeds.
	ApplicationConditionSyncError ApplicationConditionType = "SyncError"
	// ApplicationConditionDeletionError: cascading deletion failed, or waits for
	// one thing for more than a minute, until it goes on. See
	// docs/how-to/deletion.md.
	ApplicationConditionDeletionError ApplicationConditionType = "DeletionError"
	// ApplicationConditionDeletionHeldError, which Argo CD does not have: a sync
	// would delete much, and nobody has approved that, until the list is
	// approved or changes. See docs/how-to/mass-deletion-guard.md.
	ApplicationConditionDeletionHeldError ApplicationConditionType = "DeletionHeldError"
	// ApplicationConditionUnknownError: anything else, until it succeeds.
	ApplicationConditionUnknownError ApplicationConditionType = "UnknownError"
	// ApplicationConditionSharedResourceWarning: an object belongs to another
	// application too.
	ApplicationConditionSharedResourceWarning ApplicationConditionType = "SharedResourceWarning"
	// ApplicationConditionClusterPausedWarning, which Argo CD does not have: the
	// Secret of the cluster has the annotation argocd.argoproj.io/skip-reconcile,
	// and nothing is done there until that is taken away. See
	// docs/how-to/clusters.md.
	ApplicationConditionClusterPausedWarning ApplicationConditionType = "ClusterPausedWarning"
	// ApplicationConditionRepeatedResourceWarning: the sources have an object
	// several times; the last one counts.
	ApplicationConditionRepeatedResourceWarning ApplicationConditionType = "RepeatedResourceWarning"
	// ApplicationConditionExcludedResourceWarning: a manifest is of a kind that
	// resource.exclusions leaves out.
	ApplicationConditionExcludedResourceWarning ApplicationConditionType = "ExcludedResourceWarning"
	// ApplicationConditionOrphanedResourceWarning: the project asks for orphaned
	// objects, and there are some. See docs/how-to/projects.md.
	ApplicationConditionOrphanedResourceWarning ApplicationConditionType = "OrphanedResourceWarning"
	// ApplicationConditionRolledBackWarning, which Argo CD does not have: a
	// rollback holds, and what Git says is not synced by itself until the
	// manifests change or somebody syncs. See docs/how-to/rollback.md.
	ApplicationConditionRolledBackWarning ApplicationConditionType = "RolledBackWarning"
	// ApplicationConditionIneffectiveOptionWarning, which Argo CD does not have:
	// a sync option, wave, hook, delete policy, compare option or limit of
	// deletions means nothing as it is written, or an expression of
	// ignoreDifferences fails on an object that differs.
	ApplicationConditionIneffectiveOptionWarning ApplicationConditionType = "IneffectiveOptionWarning"
	// ApplicationConditionDriftWarning, which Argo CD does not have: fields were
	// changed in the cluster, by whom, and what becomes of them. See
	// docs/how-to/drift.md.
	ApplicationConditionDriftWarning ApplicationConditionType = "DriftWarning"
	// ApplicationConditionMergedResourceWarning, which Argo CD does not have:
	// server-side apply does not take an object, because a list in it has
	// elements with equal keys, so it is merged into the live one, where what
	// leaves the sources stays.
	ApplicationConditionMergedResourceWarning ApplicationConditionType = "MergedResourceWarning"
	// ApplicationConditionSkippedManifestWarning, which Argo CD does not have: a
	// file of a plain folder looks like a manifest, cannot be read as one, and
	// is skipped as in Argo CD.
	ApplicationConditionSkippedManifestWarning ApplicationConditionType = "SkippedManifestWarning"
	// ApplicationConditionForeignResourceWarning, which Argo CD does not have:
	// objects bear the application's mark that its project does not permit; they
	// are none of the application's. See docs/how-to/projects.md.
	ApplicationConditionForeignResourceWarning ApplicationConditionType = "ForeignResourceWarning"
	// ApplicationConditionStatusShortenedWarning, which Argo CD does not have:
	// the application has more objects than its status can list.
	ApplicationConditionStatusShortenedWarning ApplicationConditionType = "StatusShortenedWarning"
	// ApplicationConditionInvalidProjectWarning, which Argo CD does not have:
	// rules of the project cannot be meant as they are written.
	ApplicationConditionInvalidProjectWarning ApplicationConditionType = "InvalidProjectWarning"
	// ApplicationConditionDependencyWaiting, which Argo CD does not have: a sync
	// waits for what the application depends on, or can never begin because of
	// a circle or of words that mean nothing. See docs/how-to/depends-on.md.
	ApplicationConditionDependencyWaiting ApplicationConditionType = "DependencyWaiting"
)

// ApplicationCondition is an error or a warning.
type ApplicationCondition struct {
	// Type of the condition.
	Type ApplicationConditionType `json:"type"`
	// Message for people.
	Message string `json:"message"`
	// LastTransitionTime is when it was first seen.
	LastTransitionTime *Time `json:"lastTransitionTime,omitempty"`
}

// ApplicationSummary is what lists show.
type ApplicationSummary struct {
	// ExternalURLs lead to what the application serves. The engine does not write
	// them.
	ExternalURLs []string `json:"externalURLs,omitempty"`
	// Images of the application.
	Images []string `json:"images,omitempty"`
	// IsAppOfApps is true where the application deploys Applications or ApplicationSets.
	IsAppOfApps bool `json:"isAppOfApps,omitempty"`
}
