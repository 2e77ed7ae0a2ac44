package v1

// Rewrite changes the keys of values, or what they are. Of several members
// merge is used, else regexp, else transform.
type Rewrite struct {
	// Merge makes one object of all values.
	// +optional
	Merge *RewriteMerge `json:"merge,omitempty"`
	// Regexp replaces in keys.
	// +optional
	Regexp *RewriteRegexp `json:"regexp,omitempty"`
	// Transform makes each key by a template.
	// +optional
	Transform *RewriteTransform `json:"transform,omitempty"`
}

// RewriteMerge makes one object of the objects that all values are.
type RewriteMerge struct {
	// Into is the key of the object, for the strategy JSON.
	// +optional
	Into string `json:"into,omitempty"`
	// Priority are keys whose fields count before others'; of two the later.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Priority []string `json:"priority,omitempty"`
	// PriorityPolicy Strict, which is what an empty one means, wants each key of
	// Priority to be there; IgnoreNotFound does not.
	// +optional
	// +kubebuilder:validation:Enum=IgnoreNotFound;Strict
	PriorityPolicy string `json:"priorityPolicy,omitempty"`
	// ConflictPolicy Error, which is what an empty one means, refuses a field that
	// two objects have; with Ignore the later one's counts.
	// +optional
	// +kubebuilder:validation:Enum=Ignore;Error
	ConflictPolicy string `json:"conflictPolicy,omitempty"`
	// Strategy Extract, which is what an empty one means, makes the fields keys;
	// JSON puts the object into one key, beside the others.
	// +optional
	// +kubebuilder:validation:Enum=Extract;JSON
	Strategy string `json:"strategy,omitempty"`
}

// Members of a RewriteMerge that are not what empty ones mean.
const (
	PriorityIgnoreNotFound = "IgnoreNotFound"
	ConflictIgnore         = "Ignore"
	MergeExtract           = "Extract"
	MergeJSON              = "JSON"
)

// RewriteRegexp replaces every match in each key.
type RewriteRegexp struct {
	// Source is an RE2 expression.
	Source string `json:"source"`
	// Target may name groups: $1, ${name}.
	Target string `json:"target"`
}

// RewriteTransform makes each key by a template.
type RewriteTransform struct {
	// Template sees the key as .value.
	Template string `json:"template"`
}
