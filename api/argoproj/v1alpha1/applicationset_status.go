package v1alpha1

// ApplicationSetStatus is what came of a set.
type ApplicationSetStatus struct {
	// Conditions of the set.
	Conditions []ApplicationSetCondition `json:"conditions,omitempty"`
	// ApplicationStatus is how far each Application is in a roll-out.
	ApplicationStatus []ApplicationSetApplicationStatus `json:"applicationStatus,omitempty"`
	// Resources are the Applications of the set.
	Resources []ResourceStatus `json:"resources,omitempty"`
	// ResourcesCount is how many Applications there are; resources may hold fewer.
	ResourcesCount int64 `json:"resourcesCount,omitempty"`
	// Health of the set.
	// +optional
	Health HealthStatus `json:"health,omitzero"`
}

// ApplicationSetConditionType names a condition of a set.
type ApplicationSetConditionType string

// The types of conditions of a set.
const (
	ApplicationSetConditionErrorOccurred       ApplicationSetConditionType = "ErrorOccurred"
	ApplicationSetConditionParametersGenerated ApplicationSetConditionType = "ParametersGenerated"
	ApplicationSetConditionResourcesUpToDate   ApplicationSetConditionType = "ResourcesUpToDate"
	ApplicationSetConditionRolloutProgressing  ApplicationSetConditionType = "RolloutProgressing"
	// ApplicationSetConditionDeletionHeld tells of Applications whose deletion waits for an approval.
	ApplicationSetConditionDeletionHeld ApplicationSetConditionType = "DeletionHeld"
	// ApplicationSetConditionParameterWarning tells of placeholders that the template
	// leaves as they are; it is there only while there are some.
	ApplicationSetConditionParameterWarning ApplicationSetConditionType = "ParameterWarning"
)

// ApplicationSetConditionStatus is True, False or Unknown.
type ApplicationSetConditionStatus string

// The values of a condition.
const (
	ApplicationSetConditionStatusTrue    ApplicationSetConditionStatus = "True"
	ApplicationSetConditionStatusFalse   ApplicationSetConditionStatus = "False"
	ApplicationSetConditionStatusUnknown ApplicationSetConditionStatus = "Unknown"
)

// Reasons of the conditions of a set.
const (
	ApplicationSetReasonErrorOccurred                    = "ErrorOccurred"
	ApplicationSetReasonApplicationSetUpToDate           = "ApplicationSetUpToDate"
	ApplicationSetReasonParametersGenerated              = "ParametersGenerated"
	ApplicationSetReasonApplicationGenerated             = "ApplicationGeneratedSuccessfully"
	ApplicationSetReasonUpdateApplicationError           = "UpdateApplicationError"
	ApplicationSetReasonApplicationParamsGenerationError = "ApplicationGenerationFromParamsError"
	ApplicationSetReasonRenderTemplateParamsError        = "RenderTemplateParamsError"
	ApplicationSetReasonCreateApplicationError           = "CreateApplicationError"
	ApplicationSetReasonDeleteApplicationError           = "DeleteApplicationError"
	ApplicationSetReasonRefreshApplicationError          = "RefreshApplicationError"
	ApplicationSetReasonApplicationValidationError       = "ApplicationValidationError"
	ApplicationSetReasonApplicationSetModified           = "ApplicationSetModified"
	ApplicationSetReasonApplicationSetRolloutComplete    = "ApplicationSetRolloutComplete"
	ApplicationSetReasonSyncApplicationError             = "SyncApplicationError"
)

// ApplicationSetCondition is one condition of a set.
type ApplicationSetCondition struct {
	// Type of the condition.
	Type ApplicationSetConditionType `json:"type"`
	// Message for people.
	Message string `json:"message"`
	// LastTransitionTime is when the status last changed.
	LastTransitionTime *Time `json:"lastTransitionTime,omitempty"`
	// Status is True, False or Unknown.
	Status ApplicationSetConditionStatus `json:"status"`
	// Reason in one word.
	Reason string `json:"reason"`
}

// ProgressiveSyncStatusCode is how far an Application is in a roll-out.
type ProgressiveSyncStatusCode string

// How far an Application is in a roll-out.
const (
	ProgressiveSyncWaiting     ProgressiveSyncStatusCode = "Waiting"
	ProgressiveSyncPending     ProgressiveSyncStatusCode = "Pending"
	ProgressiveSyncProgressing ProgressiveSyncStatusCode = "Progressing"
	ProgressiveSyncHealthy     ProgressiveSyncStatusCode = "Healthy"
)

// ApplicationSetApplicationStatus is how far an Application is in a roll-out.
type ApplicationSetApplicationStatus struct {
	// Application is the name.
	Application string `json:"application"`
	// LastTransitionTime is when the status last changed.
	LastTransitionTime *Time `json:"lastTransitionTime,omitempty"`
	// Message for people.
	Message string `json:"message"`
	// Status is the code.
	Status ProgressiveSyncStatusCode `json:"status"`
	// Step of the roll-out, counted from 1.
	Step string `json:"step"`
	// TargetRevisions are the revisions that the roll-out brings.
	TargetRevisions []string `json:"targetRevisions"`
}
