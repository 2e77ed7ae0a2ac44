package v1alpha1

// Operation is a request to do something once.
type Operation struct {
	// Sync asks for a sync.
	Sync *SyncOperation `json:"sync,omitempty"`
	// InitiatedBy is who asked; written even when empty, as Argo CD does.
	// +optional
	InitiatedBy OperationInitiator `json:"initiatedBy,omitempty"`
	// Info is free information about the request.
	Info []Info `json:"info,omitempty"`
	// Retry says how to try again; written even when empty, as Argo CD does.
	// +optional
	Retry RetryStrategy `json:"retry,omitempty"`
}

// ApplicationSetInitiator is the user name in operations that a RollingSync asks for.
const ApplicationSetInitiator = "applicationset-controller"

// OperationInitiator is who asked for an operation.
type OperationInitiator struct {
	// Username of the person.
	Username string `json:"username,omitempty"`
	// Automated is true where the engine started the sync by itself.
	Automated bool `json:"automated,omitempty"`
}

// SyncOperation is what to sync, and how.
type SyncOperation struct {
	// Revision to sync to; the spec's when empty.
	Revision string `json:"revision,omitempty"`
	// Prune deletes objects that are no longer in the sources.
	Prune bool `json:"prune,omitempty"`
	// DryRun changes nothing.
	DryRun bool `json:"dryRun,omitempty"`
	// SyncStrategy says how objects are written.
	SyncStrategy *SyncStrategy `json:"syncStrategy,omitempty"`
	// Resources are the only objects to sync; all when empty.
	Resources []SyncOperationResource `json:"resources,omitempty"`
	// Source replaces the spec's source, for a roll-back.
	Source *ApplicationSource `json:"source,omitempty"`
	// Manifests replace the source's manifests, for development.
	Manifests []string `json:"manifests,omitempty"`
	// SyncOptions are Name=value options for this sync.
	SyncOptions SyncOptions `json:"syncOptions,omitempty"`
	// Sources replace the spec's sources, for a roll-back.
	Sources ApplicationSources `json:"sources,omitempty"`
	// Revisions to sync the sources to; the spec's when empty.
	Revisions []string `json:"revisions,omitempty"`
	// SelfHealAttemptsCount is how often drift was undone in a row.
	SelfHealAttemptsCount int64 `json:"autoHealAttemptsCount,omitempty"`
}

// SyncOperationResource names an object to sync.
type SyncOperationResource struct {
	// Group of the object.
	Group string `json:"group,omitempty"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Name of the object.
	Name string `json:"name"`
	// Namespace of the object.
	Namespace string `json:"namespace,omitempty"`
}

// SyncStrategy says how objects are written; with hooks when both are absent.
type SyncStrategy struct {
	// Apply writes objects and runs no hooks.
	Apply *SyncStrategyApply `json:"apply,omitempty"`
	// Hook writes objects and runs hooks.
	Hook *SyncStrategyHook `json:"hook,omitempty"`
}

// SyncStrategyApply writes objects without hooks.
type SyncStrategyApply struct {
	// Force deletes and creates objects that cannot be changed.
	Force bool `json:"force,omitempty"`
}

// SyncStrategyHook writes objects with hooks.
type SyncStrategyHook struct {
	// SyncStrategyApply has the settings for writing objects.
	SyncStrategyApply `json:",inline"`
}

// OperationPhase is how far an operation has come.
type OperationPhase string

// The phases of an operation.
const (
	OperationRunning     OperationPhase = "Running"
	OperationTerminating OperationPhase = "Terminating"
	OperationFailed      OperationPhase = "Failed"
	OperationError       OperationPhase = "Error"
	OperationSucceeded   OperationPhase = "Succeeded"
)

// Completed reports whether the phase is an end.
func (p OperationPhase) Completed() bool {
	return p == OperationFailed || p == OperationError || p == OperationSucceeded
}

// Successful reports whether the phase is the good end.
func (p OperationPhase) Successful() bool { return p == OperationSucceeded }

// OperationState is the last operation and what came of it. Running together
// with finishedAt means that it waits to be tried again.
type OperationState struct {
	// Operation that was asked for.
	Operation Operation `json:"operation"`
	// Phase it is in.
	Phase OperationPhase `json:"phase"`
	// Message is what the operation waits for, or why it failed.
	Message string `json:"message,omitempty"`
	// SyncResult is what the sync did.
	SyncResult *SyncOperationResult `json:"syncResult,omitempty"`
	// StartedAt is when it began.
	StartedAt Time `json:"startedAt"`
	// FinishedAt is when it ended; in phase Running, when the last try failed:
	// another one follows.
	FinishedAt *Time `json:"finishedAt,omitempty"`
	// RetryCount is how many tries followed the first.
	RetryCount int64 `json:"retryCount,omitempty"`
}

// SyncOperationResult is what a sync did.
type SyncOperationResult struct {
	// Resources are the results of the objects and hooks.
	Resources ResourceResults `json:"resources,omitempty"`
	// Revision it synced to.
	Revision string `json:"revision"`
	// Source it synced from.
	// +optional
	Source ApplicationSource `json:"source,omitzero"`
	// Sources it synced from.
	Sources ApplicationSources `json:"sources,omitempty"`
	// Revisions it synced the sources to.
	Revisions []string `json:"revisions,omitempty"`
	// ManagedNamespaceMetadata it gave to the namespace. The engine does not write it.
	ManagedNamespaceMetadata *ManagedNamespaceMetadata `json:"managedNamespaceMetadata,omitempty"`
}

// ResultCode is what became of an object in a sync.
type ResultCode string

// The results of an object.
const (
	ResultCodeSynced       ResultCode = "Synced"
	ResultCodeSyncFailed   ResultCode = "SyncFailed"
	ResultCodePruned       ResultCode = "Pruned"
	ResultCodePruneSkipped ResultCode = "PruneSkipped"
)

// HookType is when a hook runs.
type HookType string

// The types of hooks.
const (
	HookTypePreSync    HookType = "PreSync"
	HookTypeSync       HookType = "Sync"
	HookTypePostSync   HookType = "PostSync"
	HookTypeSyncFail   HookType = "SyncFail"
	HookTypePreDelete  HookType = "PreDelete"
	HookTypePostDelete HookType = "PostDelete"
	HookTypeSkip       HookType = "Skip"
)

// HookDeletePolicy is when a hook's object is deleted.
type HookDeletePolicy string

// The delete policies of hooks.
const (
	HookDeletePolicyHookSucceeded      HookDeletePolicy = "HookSucceeded"
	HookDeletePolicyHookFailed         HookDeletePolicy = "HookFailed"
	HookDeletePolicyBeforeHookCreation HookDeletePolicy = "BeforeHookCreation"
)

// SyncPhase is a part of a sync.
type SyncPhase string

// The phases of a sync, in order.
const (
	SyncPhasePreSync  SyncPhase = "PreSync"
	SyncPhaseSync     SyncPhase = "Sync"
	SyncPhasePostSync SyncPhase = "PostSync"
	SyncPhaseSyncFail SyncPhase = "SyncFail"
)

// ResourceResults are the results of a sync, object by object.
type ResourceResults []ResourceResult

// ResourceResult is what a sync did to one object.
type ResourceResult struct {
	// Group of the object.
	Group string `json:"group"`
	// Version of the object.
	Version string `json:"version"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// Name of the object.
	Name string `json:"name"`
	// Status is what became of it; empty while it is at work.
	Status ResultCode `json:"status,omitempty"`
	// Message for people.
	Message string `json:"message,omitempty"`
	// HookType of a hook; empty for others.
	HookType HookType `json:"hookType,omitempty"`
	// HookPhase is how far the hook, or the object's health, has come.
	HookPhase OperationPhase `json:"hookPhase,omitempty"`
	// SyncPhase that the object belongs to.
	SyncPhase SyncPhase `json:"syncPhase,omitempty"`
	// Images of the object.
	Images []string `json:"images,omitempty"`
}
