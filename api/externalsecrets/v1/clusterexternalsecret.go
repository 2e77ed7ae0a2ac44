package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterExternalSecret makes an ExternalSecret in each namespace that it selects.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=ces,categories=external-secrets
// +kubebuilder:printcolumn:name=Store,type=string,JSONPath=`.spec.externalSecretSpec.secretStoreRef.name`
// +kubebuilder:printcolumn:name=Refresh Interval,type=string,JSONPath=`.spec.refreshTime`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
type ClusterExternalSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec ClusterExternalSecretSpec `json:"spec"`
	// +optional
	Status ClusterExternalSecretStatus `json:"status,omitempty"`
}

// ClusterExternalSecretSpec is the ExternalSecret, and where it is made.
type ClusterExternalSecretSpec struct {
	ExternalSecretSpec ExternalSecretSpec `json:"externalSecretSpec"`
	// ExternalSecretName is the ClusterExternalSecret's when it is empty.
	// +optional
	ExternalSecretName string `json:"externalSecretName,omitempty"`
	// +optional
	ExternalSecretMetadata ExternalSecretMetadata `json:"externalSecretMetadata,omitempty"`
	// NamespaceSelector is one more of NamespaceSelectors.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// NamespaceSelectors select namespaces that one of them matches.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	NamespaceSelectors []*metav1.LabelSelector `json:"namespaceSelectors,omitempty"`
	// Namespaces by name, beside those that are selected.
	// +optional
	// +kubebuilder:validation:MaxItems=1024
	Namespaces []string `json:"namespaces,omitempty"`
	// RefreshInterval is how often namespaces are looked at; it has no effect here, as
	// each change of one is seen when it happens.
	// +optional
	RefreshInterval *metav1.Duration `json:"refreshTime,omitempty"`
}

// ExternalSecretMetadata is for each ExternalSecret.
type ExternalSecretMetadata struct {
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
}

// ClusterExternalSecretStatus is where ExternalSecrets were made.
type ClusterExternalSecretStatus struct {
	// +optional
	ExternalSecretName string `json:"externalSecretName,omitempty"`
	// +optional
	FailedNamespaces []FailedNamespace `json:"failedNamespaces,omitempty"`
	// +optional
	ProvisionedNamespaces []string `json:"provisionedNamespaces,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty"`
}

// FailedNamespace is one without an ExternalSecret, and why.
type FailedNamespace struct {
	Namespace string `json:"namespace"`
	// +optional
	Reason string `json:"reason,omitempty"`
}

// ClusterExternalSecretList is a list of ClusterExternalSecrets.
//
// +kubebuilder:object:root=true
type ClusterExternalSecretList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ClusterExternalSecret `json:"items"`
}
