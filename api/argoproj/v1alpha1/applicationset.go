package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ApplicationSet makes Applications of a template and of the parameters that
// its generators find.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=applicationsets,shortName=appset;appsets,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="app.kubernetes.io/name=applicationsets.argoproj.io"
// +kubebuilder:metadata:labels="app.kubernetes.io/part-of=causeway"
type ApplicationSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec says which Applications there are to be.
	Spec ApplicationSetSpec `json:"spec"`
	// Status is what came of it.
	// +optional
	Status ApplicationSetStatus `json:"status,omitzero"`

	// Outlined is why the engine keeps no more of the set than an outline; empty
	// for a whole one. It is neither written nor read.
	Outlined string `json:"-"`
}

// ApplicationSetList is a list of ApplicationSets.
//
// +kubebuilder:object:root=true
type ApplicationSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items are the sets.
	Items []ApplicationSet `json:"items"`
}

// ApplicationSetSpec says which Applications there are to be.
type ApplicationSetSpec struct {
	// GoTemplate renders with Go templates instead of plain replacement.
	GoTemplate bool `json:"goTemplate,omitempty"`
	// Generators find parameters; each set of parameters gives an Application.
	Generators []ApplicationSetGenerator `json:"generators"`
	// Template of the Applications.
	Template ApplicationSetTemplate `json:"template"`
	// SyncPolicy says what may be done to the Applications.
	SyncPolicy *ApplicationSetSyncPolicy `json:"syncPolicy,omitempty"`
	// Strategy says in which order Applications are brought up to date.
	Strategy *ApplicationSetStrategy `json:"strategy,omitempty"`
	// PreservedFields are metadata of the Applications that others may write.
	PreservedFields *ApplicationPreservedFields `json:"preservedFields,omitempty"`
	// GoTemplateOptions are options of Go templates, such as missingkey=error.
	GoTemplateOptions []string `json:"goTemplateOptions,omitempty"`
	// ApplyNestedSelectors has no effect any more: nested selectors always count.
	ApplyNestedSelectors bool `json:"applyNestedSelectors,omitempty"`
	// IgnoreApplicationDifferences are fields of the Applications that others may write.
	IgnoreApplicationDifferences ApplicationSetIgnoreDifferences `json:"ignoreApplicationDifferences,omitempty"`
	// TemplatePatch is a template of a strategic merge patch on each Application.
	TemplatePatch *string `json:"templatePatch,omitempty"`
}

// ApplicationSetTemplate is the template of an Application.
type ApplicationSetTemplate struct {
	// ApplicationSetTemplateMeta is the metadata of the Application.
	ApplicationSetTemplateMeta `json:"metadata"`
	// Spec of the Application.
	Spec ApplicationSpec `json:"spec"`
}

// ApplicationSetTemplateMeta is the metadata that a template may set.
type ApplicationSetTemplateMeta struct {
	// Name of the Application.
	Name string `json:"name,omitempty"`
	// Namespace of the Application; the set's is used whatever it says.
	Namespace string `json:"namespace,omitempty"`
	// Labels of the Application.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the Application.
	Annotations map[string]string `json:"annotations,omitempty"`
	// Finalizers of the Application.
	Finalizers []string `json:"finalizers,omitempty"`
}

// ApplicationsSyncPolicy is what a set may do to its Applications.
// +kubebuilder:validation:Enum=create-only;create-update;create-delete;sync
type ApplicationsSyncPolicy string

// What a set may do to its Applications; sync is everything.
const (
	ApplicationsSyncPolicyCreateOnly   ApplicationsSyncPolicy = "create-only"
	ApplicationsSyncPolicyCreateUpdate ApplicationsSyncPolicy = "create-update"
	ApplicationsSyncPolicyCreateDelete ApplicationsSyncPolicy = "create-delete"
	ApplicationsSyncPolicySync         ApplicationsSyncPolicy = "sync"
)

// AllowUpdate reports whether existing Applications may be changed.
func (p ApplicationsSyncPolicy) AllowUpdate() bool {
	return p == ApplicationsSyncPolicySync || p == ApplicationsSyncPolicyCreateUpdate
}

// AllowDelete reports whether Applications may be deleted.
func (p ApplicationsSyncPolicy) AllowDelete() bool {
	return p == ApplicationsSyncPolicySync || p == ApplicationsSyncPolicyCreateDelete
}

// ApplicationSetSyncPolicy says what may be done to the Applications.
type ApplicationSetSyncPolicy struct {
	// PreserveResourcesOnDeletion leaves the objects of a deleted Application in place.
	PreserveResourcesOnDeletion bool `json:"preserveResourcesOnDeletion,omitempty"`
	// ApplicationsSync is what the set may do; sync when absent.
	// +optional
	ApplicationsSync *ApplicationsSyncPolicy `json:"applicationsSync,omitempty"`
}

// ApplicationPreservedFields are metadata that others may write.
type ApplicationPreservedFields struct {
	// Annotations are names of annotations.
	Annotations []string `json:"annotations,omitempty"`
	// Labels are names of labels.
	Labels []string `json:"labels,omitempty"`
}

// ApplicationSetIgnoreDifferences are fields of Applications that others may write.
type ApplicationSetIgnoreDifferences []ApplicationSetResourceIgnoreDifferences

// ApplicationSetResourceIgnoreDifferences are fields that others may write.
type ApplicationSetResourceIgnoreDifferences struct {
	// Name of the Application; empty is any.
	Name string `json:"name,omitempty"`
	// JSONPointers are fields by RFC 6901.
	JSONPointers []string `json:"jsonPointers,omitempty"`
	// JQPathExpressions are fields by jq path expression.
	JQPathExpressions []string `json:"jqPathExpressions,omitempty"`
}

// Types of ApplicationSetStrategy.
const (
	ApplicationSetStrategyAllAtOnce   = "AllAtOnce"
	ApplicationSetStrategyRollingSync = "RollingSync"
)

// Values of ApplicationSetStrategy.DeletionOrder.
const (
	ApplicationSetDeletionOrderAllAtOnce = "AllAtOnce"
	ApplicationSetDeletionOrderReverse   = "Reverse"
)

// ApplicationSetStrategy says in which order Applications are brought up to date.
type ApplicationSetStrategy struct {
	// Type is AllAtOnce or RollingSync; AllAtOnce when empty.
	Type string `json:"type,omitempty"`
	// RollingSync has the steps of that type.
	RollingSync *ApplicationSetRolloutStrategy `json:"rollingSync,omitempty"`
	// DeletionOrder is AllAtOnce or Reverse; AllAtOnce when empty.
	DeletionOrder string `json:"deletionOrder,omitempty"`
}

// ApplicationSetRolloutStrategy is a roll-out in steps.
type ApplicationSetRolloutStrategy struct {
	// Steps in order.
	Steps []ApplicationSetRolloutStep `json:"steps,omitempty"`
}

// ApplicationSetRolloutStep is one step of a roll-out.
type ApplicationSetRolloutStep struct {
	// MatchExpressions select the step's Applications by their labels.
	MatchExpressions []ApplicationMatchExpression `json:"matchExpressions,omitempty"`
	// MaxUpdate is how many, or what share, may be at work at once.
	MaxUpdate *intstr.IntOrString `json:"maxUpdate,omitempty"`
}

// ApplicationMatchExpression selects Applications by a label.
type ApplicationMatchExpression struct {
	// Key of the label.
	Key string `json:"key,omitempty"`
	// Operator is In or NotIn.
	Operator string `json:"operator,omitempty"`
	// Values of the label.
	Values []string `json:"values,omitempty"`
}

// GetApplicationsSync returns what the set may do to its Applications.
func (s ApplicationSetSpec) GetApplicationsSync() ApplicationsSyncPolicy {
	if s.SyncPolicy == nil || s.SyncPolicy.ApplicationsSync == nil {
		return ApplicationsSyncPolicySync
	}
	return *s.SyncPolicy.ApplicationsSync
}
