package v1

import corev1 "k8s.io/api/core/v1"

// ExternalSecretTarget is the object that is made.
type ExternalSecretTarget struct {
	// Name is the ExternalSecret's when it is empty.
	// +optional
	Name string `json:"name,omitempty"`
	// CreationPolicy is Owner when it is empty.
	// +optional
	CreationPolicy CreationPolicy `json:"creationPolicy,omitempty"`
	// DeletionPolicy is Retain when it is empty.
	// +optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
	// Template is what the object looks like; without one, it has the values, and
	// the labels and annotations of the ExternalSecret.
	// +optional
	Template *ExternalSecretTemplate `json:"template,omitempty"`
	// Manifest makes an object of another kind than Secret.
	// +optional
	Manifest *ManifestReference `json:"manifest,omitempty"`
	// Immutable has the API server refuse every change of the Secret.
	// +optional
	Immutable bool `json:"immutable,omitempty"`
}

// CreationPolicy says whose the Secret is.
//
// +kubebuilder:validation:Enum=Owner;Orphan;Merge;None
type CreationPolicy string

// Whose the Secret is.
const (
	// CreateOwner makes the Secret, which goes with its ExternalSecret.
	CreateOwner CreationPolicy = "Owner"
	// CreateOrphan makes the Secret, which stays.
	CreateOrphan CreationPolicy = "Orphan"
	// CreateMerge puts values into a Secret that somebody else made.
	CreateMerge CreationPolicy = "Merge"
	// CreateNone makes nothing.
	CreateNone CreationPolicy = "None"
)

// Known reports whether it is one of these, or empty.
func (p CreationPolicy) Known() bool {
	switch p {
	case "", CreateOwner, CreateOrphan, CreateMerge, CreateNone:
		return true
	}
	return false
}

// DeletionPolicy says what happens when the store no longer has any value.
//
// +kubebuilder:validation:Enum=Delete;Merge;Retain
type DeletionPolicy string

// What happens when the store has no value any more.
const (
	// DeleteSecret deletes the Secret.
	DeleteSecret DeletionPolicy = "Delete"
	// DeleteKeys takes the values out of it.
	DeleteKeys DeletionPolicy = "Merge"
	// DeleteNothing keeps it as it is.
	DeleteNothing DeletionPolicy = "Retain"
)

// Known reports whether it is one of these, or empty.
func (p DeletionPolicy) Known() bool {
	switch p {
	case "", DeleteSecret, DeleteKeys, DeleteNothing:
		return true
	}
	return false
}

// ManifestReference is a kind.
type ManifestReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// ExternalSecretTemplate is what the object looks like.
type ExternalSecretTemplate struct {
	// Type of the Secret.
	// +optional
	Type corev1.SecretType `json:"type,omitempty"`
	// EngineVersion is v2, which is what an empty one means.
	// +optional
	// +kubebuilder:validation:Enum=v2
	EngineVersion string `json:"engineVersion,omitempty"`
	// +optional
	Metadata TemplateMetadata `json:"metadata,omitempty"`
	// MergePolicy Replace, which is what an empty one means, has the Secret hold
	// what the template makes; Merge has it hold the values as well.
	// +optional
	// +kubebuilder:validation:Enum=Replace;Merge
	MergePolicy string `json:"mergePolicy,omitempty"`
	// Data are templates of values, by their keys.
	// +optional
	Data map[string]string `json:"data,omitempty"`
	// TemplateFrom are templates that stand elsewhere.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	TemplateFrom []TemplateFrom `json:"templateFrom,omitempty"`
}

// TemplateMergeValues is the MergePolicy that keeps the values.
const TemplateMergeValues = "Merge"

// TemplateMetadata are templates of labels and annotations, and finalizers.
type TemplateMetadata struct {
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// +optional
	Finalizers []string `json:"finalizers,omitempty"`
}

// TemplateFrom are templates of an object, or one as it stands here.
type TemplateFrom struct {
	// +optional
	ConfigMap *TemplateRef `json:"configMap,omitempty"`
	// +optional
	Secret *TemplateRef `json:"secret,omitempty"`
	// Target is Data, which is what an empty one means, Labels, Annotations, or a
	// path into an object of another kind.
	// +optional
	Target string `json:"target,omitempty"`
	// Literal is a template whose text is a map of keys and values.
	// +optional
	Literal *string `json:"literal,omitempty"`
	// ValueDecodingStrategy is how what was rendered is decoded.
	// +optional
	ValueDecodingStrategy DecodingStrategy `json:"valueDecodingStrategy,omitempty"`
}

// TemplateRef are templates in an object of the same namespace.
type TemplateRef struct {
	Name string `json:"name"`
	// Items are the keys of the object that hold templates.
	// +kubebuilder:validation:MaxItems=256
	Items []TemplateRefItem `json:"items"`
}

// TemplateRefItem is one template.
type TemplateRefItem struct {
	Key string `json:"key"`
	// TemplateAs Values, which is what an empty one means, is one value;
	// KeysAndValues is a map of them.
	// +optional
	TemplateAs TemplateScope `json:"templateAs,omitempty"`
}

// TemplateScope says what the text of a template is.
//
// +kubebuilder:validation:Enum=Values;KeysAndValues
type TemplateScope string

// What the text of a template is.
const (
	// ScopeValues is the value of the template's key.
	ScopeValues TemplateScope = "Values"
	// ScopeKeysAndValues is a map of keys and values, in YAML.
	ScopeKeysAndValues TemplateScope = "KeysAndValues"
)
