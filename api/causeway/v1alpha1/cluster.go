package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Cluster declares a cluster in Git. A driver makes it and keeps it; its
// connection is written to a cluster Secret of the same name, from which
// ApplicationSets and destinations know it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=cwcl
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="the name is a label value: at most 63 characters"
// +kubebuilder:printcolumn:name=Driver,type=string,JSONPath=`.status.driver`
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name=Version,type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name=Server,type=string,JSONPath=`.status.server`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec ClusterSpec `json:"spec"`
	// +optional
	Status ClusterStatus `json:"status,omitempty"`
}

// ClusterSpec says what kind of cluster, and what is known of it.
//
// +kubebuilder:validation:XValidation:rule="[has(self.embedded), has(self.kind), has(self.adopt)].filter(d, d).size() == 1",message="set exactly one of embedded, kind and adopt"
type ClusterSpec struct {
	// Embedded runs a control plane of the engine's own, for development and CI.
	// +optional
	Embedded *EmbeddedCluster `json:"embedded,omitempty"`
	// Kind makes a cluster of containers where Docker is there.
	// +optional
	Kind *KindCluster `json:"kind,omitempty"`
	// Adopt connects a cluster that somebody else made.
	// +optional
	Adopt *AdoptedCluster `json:"adopt,omitempty"`

	// Labels of the cluster Secret: ApplicationSets choose clusters by them.
	// The engine adds cluster_name and environment where they are not given.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the cluster Secret: ApplicationSets make parameters of them.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Annotations map[string]string `json:"annotations,omitempty"`
	// Project is the AppProject whose applications may use the cluster, beside those that a project permits its address.
	// +optional
	Project string `json:"project,omitempty"`
	// Namespaces restricts the engine to these namespaces of the cluster.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Namespaces []string `json:"namespaces,omitempty"`
	// Protected refuses the deletion of this object as long as it is true.
	// +optional
	Protected bool `json:"protected,omitempty"`
	// DeletionPolicy says what becomes of the cluster when this object is
	// deleted: Delete removes it when no application is left on it, Orphan
	// leaves it, its Secret and its applications as they are.
	// +optional
	// +kubebuilder:default=Delete
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// DeletionPolicy of a Cluster.
// +kubebuilder:validation:Enum=Delete;Orphan
type DeletionPolicy string

// What becomes of a cluster whose object is deleted.
const (
	DeletionDelete DeletionPolicy = "Delete"
	DeletionOrphan DeletionPolicy = "Orphan"
)

// EmbeddedCluster is a control plane of the engine's own: a real API server
// whose nodes are simulated.
type EmbeddedCluster struct {
	// Nodes is how many simulated nodes it has.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Nodes int32 `json:"nodes,omitempty"`
}

// KindCluster is a cluster of containers, made by kind.
type KindCluster struct {
	// Image of its nodes; kind's own default when it is empty.
	// +optional
	Image string `json:"image,omitempty"`
	// Workers is how many nodes it has beside the one of the control plane.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=20
	Workers int32 `json:"workers,omitempty"`
}

// AdoptedCluster is known by a kubeconfig.
type AdoptedCluster struct {
	// SecretRef names the key of a Secret in this namespace that holds the
	// kubeconfig.
	SecretRef KeyReference `json:"secretRef"`
	// Context of the kubeconfig; its current one when it is empty.
	// +optional
	Context string `json:"context,omitempty"`
}

// KeyReference names one key of a Secret or ConfigMap in the same namespace.
type KeyReference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key in its data.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// ClusterPhase is the state of a Cluster, in one word.
type ClusterPhase string

// Phases of a Cluster.
const (
	ClusterProvisioning ClusterPhase = "Provisioning"
	ClusterReady        ClusterPhase = "Ready"
	ClusterFailed       ClusterPhase = "Failed"
	ClusterDraining     ClusterPhase = "Draining"
	ClusterDeleting     ClusterPhase = "Deleting"
)

// ClusterStatus is what the driver found.
type ClusterStatus struct {
	// ObservedGeneration is the generation of the spec that the status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Phase is the state of the Cluster, in one word.
	// +optional
	Phase ClusterPhase `json:"phase,omitempty"`
	// Driver that made the cluster. It cannot be changed.
	// +optional
	Driver string `json:"driver,omitempty"`
	// Server is the address of its API server.
	// +optional
	Server string `json:"server,omitempty"`
	// Version of Kubernetes that it runs.
	// +optional
	Version string `json:"version,omitempty"`
	// SecretName is its cluster Secret, in the same namespace.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// Conditions: Ready, that the cluster can be used, and Deletable, which tells
	// what a deletion waits for.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterList is a list of Clusters.
//
// +kubebuilder:object:root=true
type ClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Cluster `json:"items"`
}
