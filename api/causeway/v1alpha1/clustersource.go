package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterSource turns kubeconfig Secrets that others write (Cluster API,
// vcluster) into cluster Secrets, and keeps them the same.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=cwsrc
// +kubebuilder:printcolumn:name=Clusters,type=integer,JSONPath=`.status.clusters`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterSource struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec ClusterSourceSpec `json:"spec"`
	// +optional
	Status ClusterSourceStatus `json:"status,omitempty"`
}

// ClusterSourceSpec says which Secrets hold kubeconfigs, and what the clusters
// are to be called.
//
// +kubebuilder:validation:XValidation:rule="[has(self.clusterAPI), has(self.vcluster), has(self.secrets)].filter(d, d).size() == 1",message="set exactly one of clusterAPI, vcluster and secrets"
type ClusterSourceSpec struct {
	// ClusterAPI takes the Secrets NAME-kubeconfig of type
	// cluster.x-k8s.io/secret; labels and annotations come from the Cluster
	// object of that name.
	// +optional
	ClusterAPI *SecretScope `json:"clusterAPI,omitempty"`
	// VCluster takes the Secrets vc-NAME that virtual clusters write.
	// +optional
	VCluster *SecretScope `json:"vcluster,omitempty"`
	// Secrets takes any Secrets with a kubeconfig.
	// +optional
	Secrets *KubeconfigSecrets `json:"secrets,omitempty"`

	// Labels that every cluster of this source gets. Values may hold
	// $(name), $(namespace), $(labels.KEY) and $(annotations.KEY) of what the
	// cluster was found by.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations that every cluster of this source gets, with the same values.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Annotations map[string]string `json:"annotations,omitempty"`
	// CopyLabels are labels that are taken over where they are set; a name may
	// end in *.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	CopyLabels []string `json:"copyLabels,omitempty"`
	// CopyAnnotations are annotations that are taken over in the same way.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	CopyAnnotations []string `json:"copyAnnotations,omitempty"`
	// ClusterName is the name of each cluster, with the same values; $(name) when
	// it is empty. With several namespaces, a dot has to be between $(namespace)
	// and the rest: $(namespace).$(name).
	// +optional
	ClusterName string `json:"clusterName,omitempty"`
	// Proxies that kubeconfigs may name (proxy-url); none when it is empty. All
	// that is sent to a cluster goes through its proxy.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Proxies []string `json:"proxies,omitempty"`
	// Project is the AppProject whose applications may use the clusters, beside those that a project permits their addresses.
	// +optional
	Project string `json:"project,omitempty"`
}

// SecretScope is where a ClusterSource looks.
type SecretScope struct {
	// Namespaces that are looked at; the ClusterSource's own when it is empty.
	// The engine must be allowed to read Secrets there.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Namespaces []string `json:"namespaces,omitempty"`
	// Selector of the objects by label.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// KubeconfigSecrets are Secrets of any maker.
type KubeconfigSecrets struct {
	SecretScope `json:",inline"`
	// Key of the kubeconfig; "kubeconfig" or "config" or "value" when it is empty.
	// +optional
	Key string `json:"key,omitempty"`
}

// ClusterSourceStatus is what a ClusterSource found.
type ClusterSourceStatus struct {
	// ObservedGeneration is the generation of the spec that the status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Clusters is how many cluster Secrets it keeps.
	// +optional
	Clusters int32 `json:"clusters,omitempty"`
	// Conditions: Ready, that the clusters are followed.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterSourceList is a list of ClusterSources.
//
// +kubebuilder:object:root=true
type ClusterSourceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ClusterSource `json:"items"`
}
