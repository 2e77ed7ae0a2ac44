package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterMetadata adds labels and annotations to cluster Secrets, from values
// that live elsewhere, and follows them as they change.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=cwmd,path=clustermetadata
// +kubebuilder:printcolumn:name=Clusters,type=integer,JSONPath=`.status.clusters`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Reason,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Message,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterMetadata struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec ClusterMetadataSpec `json:"spec"`
	// +optional
	Status ClusterMetadataStatus `json:"status,omitempty"`
}

// ClusterMetadataSpec says which values go to which clusters.
type ClusterMetadataSpec struct {
	// Clusters that get the values.
	Clusters ClusterSelector `json:"clusters"`
	// Values in the order in which they are looked up.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +listType=map
	// +listMapKey=key
	Values []MetadataValue `json:"values"`
}

// ClusterSelector chooses clusters by the names or by the labels of their Secrets.
// What is empty chooses none: say matchAll for all.
type ClusterSelector struct {
	// Names of their Secrets, which may be others than those of the clusters.
	// +optional
	// +kubebuilder:validation:MaxItems=1024
	Names []string `json:"names,omitempty"`
	// Selector of their Secrets by label.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// MatchAll chooses every cluster.
	// +optional
	MatchAll bool `json:"matchAll,omitempty"`
}

// MetadataValue is one label or annotation.
//
// +kubebuilder:validation:XValidation:rule="has(self.value) != has(self.from)",message="set exactly one of value and from"
type MetadataValue struct {
	// Key of the label or annotation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key"`
	// As says what is written: a label (ApplicationSets choose by it) or an
	// annotation.
	// +optional
	// +kubebuilder:default=annotation
	As MetadataPlace `json:"as,omitempty"`
	// Value is the value as it is.
	// +optional
	Value *string `json:"value,omitempty"`
	// From names where the value lives.
	// +optional
	From *MetadataOrigin `json:"from,omitempty"`
	// Optional leaves the key out where the value is not there. Without it the
	// object says that the value is missing, and the key keeps what it had.
	// +optional
	Optional bool `json:"optional,omitempty"`
}

// MetadataPlace is where a value is written.
// +kubebuilder:validation:Enum=annotation;label
type MetadataPlace string

// Where metadata is written.
const (
	PlaceAnnotation MetadataPlace = "annotation"
	PlaceLabel      MetadataPlace = "label"
)

// MetadataOrigin is where a value lives.
//
// +kubebuilder:validation:XValidation:rule="[has(self.configMap), has(self.secret), has(self.field), has(self.terraform), has(self.fact), has(self.serves)].filter(d, d).size() == 1",message="set exactly one of configMap, secret, field, terraform, fact and serves"
type MetadataOrigin struct {
	// ConfigMap is a key of a ConfigMap in the same namespace.
	// +optional
	ConfigMap *KeyReference `json:"configMap,omitempty"`
	// Secret is a key of a Secret in the same namespace. What the cluster Secret
	// gets is a reference, secret://NAME/KEY, that is never resolved in templates,
	// unless reveal says that the value itself is no secret.
	// +optional
	Secret *SecretValue `json:"secret,omitempty"`
	// Field of another object on the hub.
	// +optional
	Field *FieldReference `json:"field,omitempty"`
	// Terraform is an output in a state that Terraform's kubernetes backend keeps.
	// +optional
	Terraform *TerraformOutput `json:"terraform,omitempty"`
	// Fact is something that each cluster reports about itself.
	// +optional
	Fact ClusterFact `json:"fact,omitempty"`
	// Serves is "true" where the cluster serves an API, and else "false".
	// +optional
	Serves *ServedAPI `json:"serves,omitempty"`
}

// ServedAPI is a kind, or all of a version.
type ServedAPI struct {
	// APIVersion is as in manifests: monitoring.coreos.com/v1.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	APIVersion string `json:"apiVersion"`
	// Kind is as in manifests; any when it is empty.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind,omitempty"`
}

// ClusterFact is something that a cluster reports about itself.
// +kubebuilder:validation:Enum=kubernetesVersion;apiVersions;nodeCount;region;zone;architecture;provider
type ClusterFact string

// Facts of clusters. Where nodes differ, what they say is sorted and joined by
// commas.
const (
	// FactKubernetesVersion is as in 1.36.3.
	FactKubernetesVersion ClusterFact = "kubernetesVersion"
	// FactAPIVersions is as in apps/v1,batch/v1: all that are served.
	FactAPIVersions  ClusterFact = "apiVersions"
	FactNodeCount    ClusterFact = "nodeCount"
	FactRegion       ClusterFact = "region"
	FactZone         ClusterFact = "zone"
	FactArchitecture ClusterFact = "architecture"
	// FactProvider is the first part of the nodes' provider ID, as aws.
	FactProvider ClusterFact = "provider"
)

// SecretValue is a key of a Secret in the same namespace.
type SecretValue struct {
	KeyReference `json:",inline"`
	// Reveal writes the value itself. It can then be read by everyone who reads
	// manifests and cluster Secrets.
	// +optional
	Reveal bool `json:"reveal,omitempty"`
}

// FieldReference is a field of an object on the hub.
type FieldReference struct {
	// APIVersion: that of the object, as apps/v1.
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`
	// Kind of the object.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// Namespace of the object; the ClusterMetadata's own when it is empty and
	// the kind has namespaces.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Path to the field as kubectl's JSONPath has it, for example {.status.endpoint}.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path"`
}

// TerraformOutput is an output value of a Terraform state. Outputs that are
// marked sensitive are refused.
type TerraformOutput struct {
	// SecretSuffix of the kubernetes backend that keeps the state.
	// +kubebuilder:validation:MinLength=1
	SecretSuffix string `json:"secretSuffix"`
	// Workspace of the state.
	// +optional
	// +kubebuilder:default=default
	Workspace string `json:"workspace,omitempty"`
	// Output is the output's name; a path into it follows after dots, as vpc.subnet_ids.
	// +kubebuilder:validation:MinLength=1
	Output string `json:"output"`
}

// ClusterMetadataStatus is what became of the values.
type ClusterMetadataStatus struct {
	// ObservedGeneration is the generation of the spec that the status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Clusters is how many clusters the values were written to.
	// +optional
	Clusters int32 `json:"clusters,omitempty"`
	// Problems are keys that could not be written, with the reason.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Problems []MetadataProblem `json:"problems,omitempty"`
	// Conditions: Ready, that all values are written.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MetadataProblem is why a key was not written.
type MetadataProblem struct {
	// Key of the label or annotation.
	Key string `json:"key"`
	// Cluster that it is about.
	// +optional
	Cluster string `json:"cluster,omitempty"`
	// Message for people.
	Message string `json:"message"`
}

// ClusterMetadataList is a list of ClusterMetadata.
//
// +kubebuilder:object:root=true
type ClusterMetadataList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ClusterMetadata `json:"items"`
}
