package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MetadataSchema says which labels and annotations the cluster Secrets of a
// fleet have, and what values they may take. The API server enforces it when a
// Secret is written; lint and preview check the same offline.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=cwms
// +kubebuilder:printcolumn:name=Enforcement,type=string,JSONPath=`.spec.enforcement`
// +kubebuilder:printcolumn:name=Violations,type=integer,JSONPath=`.status.violations`
// +kubebuilder:printcolumn:name=Valid,type=string,JSONPath=`.status.conditions[?(@.type=="Valid")].status`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
type MetadataSchema struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec MetadataSchemaSpec `json:"spec"`
	// +optional
	Status MetadataSchemaStatus `json:"status,omitempty"`
}

// MetadataSchemaSpec holds the rules of a fleet.
type MetadataSchemaSpec struct {
	// Selector of the cluster Secrets that the rules are for; all when it is
	// empty.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// Enforcement says what becomes of a write that breaks a rule.
	// +optional
	// +kubebuilder:default=Deny
	Enforcement SchemaEnforcement `json:"enforcement,omitempty"`
	// Keys are the labels and annotations that have rules.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	// +listType=map
	// +listMapKey=key
	// +listMapKey=in
	Keys []MetadataRule `json:"keys"`
	// Closed makes every key that no rule names a violation, but for those of
	// Kubernetes, Argo CD and the engine.
	// +optional
	Closed bool `json:"closed,omitempty"`
}

// SchemaEnforcement of a MetadataSchema.
// +kubebuilder:validation:Enum=Deny;Warn
type SchemaEnforcement string

// What becomes of a write that breaks a rule.
const (
	EnforceDeny SchemaEnforcement = "Deny"
	EnforceWarn SchemaEnforcement = "Warn"
)

// MetadataRule is about one label or annotation.
type MetadataRule struct {
	// Key of the label or annotation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key"`
	// In says where the key is looked for.
	// +optional
	// +kubebuilder:default=annotation
	In MetadataPlace `json:"in,omitempty"`
	// Required: the key must be there and not be empty.
	// +optional
	Required bool `json:"required,omitempty"`
	// Type of the value; a string when it is empty.
	// +optional
	Type MetadataType `json:"type,omitempty"`
	// Pattern is a regular expression (RE2) that the whole value matches.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Pattern string `json:"pattern,omitempty"`
	// Enum lists the values that are allowed.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Enum []string `json:"enum,omitempty"`
	// Description is repeated where the rule is broken.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description string `json:"description,omitempty"`
}

// MetadataType of a value.
// +kubebuilder:validation:Enum=string;boolean;integer;number;url;json;arn;cidr
type MetadataType string

// Types of values.
const (
	TypeString  MetadataType = "string"
	TypeBoolean MetadataType = "boolean"
	TypeInteger MetadataType = "integer"
	TypeNumber  MetadataType = "number"
	TypeURL     MetadataType = "url"
	TypeJSON    MetadataType = "json"
	TypeARN     MetadataType = "arn"
	TypeCIDR    MetadataType = "cidr"
)

// MetadataSchemaStatus is what the fleet is like.
type MetadataSchemaStatus struct {
	// ObservedGeneration is the generation of the spec that the status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Violations of the rules in the fleet as it is.
	// +optional
	Violations int32 `json:"violations,omitempty"`
	// Problems are the first of them.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Problems []MetadataProblem `json:"problems,omitempty"`
	// Conditions: Valid, that the rules can be used, and Ready, that the API server
	// enforces them.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MetadataSchemaList is a list of MetadataSchemas.
//
// +kubebuilder:object:root=true
type MetadataSchemaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []MetadataSchema `json:"items"`
}
