package v1alpha1

// SourceHydrator renders a dry source into a branch and deploys from a branch.
type SourceHydrator struct {
	// DrySource is what is rendered.
	DrySource DrySource `json:"drySource"`
	// SyncSource is what is deployed.
	SyncSource SyncSource `json:"syncSource"`
	// HydrateTo is the branch that is written when it is not the one deployed from.
	HydrateTo *HydrateTo `json:"hydrateTo,omitempty"`
}

// DrySource is what a hydrator renders.
type DrySource struct {
	// RepoURL is the address of the Git repository.
	RepoURL string `json:"repoURL"`
	// TargetRevision is a branch, tag or commit.
	TargetRevision string `json:"targetRevision"`
	// Path is the folder within the repository.
	Path string `json:"path"`
	// Helm has settings for charts.
	Helm *ApplicationSourceHelm `json:"helm,omitempty"`
	// Kustomize has edits to make on a kustomization.
	Kustomize *ApplicationSourceKustomize `json:"kustomize,omitempty"`
	// Directory has settings for plain manifests and Jsonnet.
	Directory *ApplicationSourceDirectory `json:"directory,omitempty"`
	// Plugin has settings for a config management plugin.
	Plugin *ApplicationSourcePlugin `json:"plugin,omitempty"`
}

// SyncSource is where rendered manifests are deployed from.
type SyncSource struct {
	// TargetBranch is the branch.
	TargetBranch string `json:"targetBranch"`
	// Path is the folder within the branch; the root is not allowed.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Pattern=`^.{2,}|[^./]$`
	Path string `json:"path"`
	// RepoURL is the repository of the branch; the dry source's when empty.
	RepoURL string `json:"repoURL,omitempty"`
}

// HydrateTo is a branch that waits to be promoted.
type HydrateTo struct {
	// TargetBranch is the branch.
	TargetBranch string `json:"targetBranch"`
}

// HydrateOperationPhase is how far a hydration has come.
// +kubebuilder:validation:Enum=Hydrating;Failed;Hydrated
type HydrateOperationPhase string

// The phases of a hydration.
const (
	HydrateOperationPhaseHydrating HydrateOperationPhase = "Hydrating"
	HydrateOperationPhaseFailed    HydrateOperationPhase = "Failed"
	HydrateOperationPhaseHydrated  HydrateOperationPhase = "Hydrated"
)

// SourceHydratorStatus is the state of the hydrator.
type SourceHydratorStatus struct {
	// LastSuccessfulOperation is the last one that succeeded.
	LastSuccessfulOperation *SuccessfulHydrateOperation `json:"lastSuccessfulOperation,omitempty"`
	// CurrentOperation is the last one begun.
	CurrentOperation *HydrateOperation `json:"currentOperation,omitempty"`
	// LastComparedDryRevision is the last dry revision that was looked at.
	LastComparedDryRevision string `json:"lastComparedDryRevision,omitempty"`
}

// HydrateOperation is one hydration.
type HydrateOperation struct {
	// StartedAt is when it began.
	// +optional
	StartedAt Time `json:"startedAt,omitzero"`
	// FinishedAt is when it ended.
	FinishedAt *Time `json:"finishedAt,omitempty"`
	// Phase it is in.
	Phase HydrateOperationPhase `json:"phase"`
	// Message for people.
	Message string `json:"message"`
	// DrySHA is the commit that was rendered.
	DrySHA string `json:"drySHA,omitempty"`
	// HydratedSHA is the commit that was written.
	HydratedSHA string `json:"hydratedSHA,omitempty"`
	// SourceHydrator is the setting that was used.
	// +optional
	SourceHydrator SourceHydrator `json:"sourceHydrator,omitzero"`
}

// SuccessfulHydrateOperation is a hydration that succeeded.
type SuccessfulHydrateOperation struct {
	// DrySHA is the commit that was rendered.
	DrySHA string `json:"drySHA,omitempty"`
	// HydratedSHA is the commit that was written.
	HydratedSHA string `json:"hydratedSHA,omitempty"`
	// SourceHydrator is the setting that was used.
	// +optional
	SourceHydrator SourceHydrator `json:"sourceHydrator,omitzero"`
}
