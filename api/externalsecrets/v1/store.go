package v1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SecretStore is where ExternalSecrets of its namespace find values.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=ss,categories=external-secrets
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Capabilities,type=string,JSONPath=`.status.capabilities`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
type SecretStore struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec SecretStoreSpec `json:"spec"`
	// +optional
	Status SecretStoreStatus `json:"status,omitempty"`
}

// ClusterSecretStore is where ExternalSecrets of all namespaces that it admits
// find values.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=css,categories=external-secrets
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Capabilities,type=string,JSONPath=`.status.capabilities`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
type ClusterSecretStore struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec SecretStoreSpec `json:"spec"`
	// +optional
	Status SecretStoreStatus `json:"status,omitempty"`
}

// SecretStoreSpec is what a store is, and who may use it.
type SecretStoreSpec struct {
	// Controller is the name of who is to serve the store; all when it is empty.
	// +optional
	Controller string `json:"controller,omitempty"`
	// Provider is exactly one provider by its name, with what it is told.
	Provider map[string]apiextensionsv1.JSON `json:"provider"`
	// +optional
	RetrySettings *RetrySettings `json:"retrySettings,omitempty"`
	// RefreshInterval is how many seconds pass between two looks at the store.
	// +optional
	RefreshInterval int `json:"refreshInterval,omitempty"`
	// Conditions say which namespaces may use a ClusterSecretStore: all, or those
	// that one of them admits.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Conditions []StoreCondition `json:"conditions,omitempty"`
}

// RetrySettings are for calls that failed.
type RetrySettings struct {
	// +optional
	MaxRetries *int32 `json:"maxRetries,omitempty"`
	// +optional
	RetryInterval *string `json:"retryInterval,omitempty"`
}

// StoreCondition admits namespaces.
type StoreCondition struct {
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=1024
	Namespaces []string `json:"namespaces,omitempty"`
	// NamespaceRegexes are RE2 expressions that match anywhere in the name.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	NamespaceRegexes []string `json:"namespaceRegexes,omitempty"`
}

// SecretStoreStatus is whether the store can be used.
type SecretStoreStatus struct {
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty"`
	// Capabilities is ReadOnly, WriteOnly or ReadWrite.
	// +optional
	Capabilities string `json:"capabilities,omitempty"`
}

// SecretStoreList is a list of SecretStores.
//
// +kubebuilder:object:root=true
type SecretStoreList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []SecretStore `json:"items"`
}

// ClusterSecretStoreList is a list of ClusterSecretStores.
//
// +kubebuilder:object:root=true
type ClusterSecretStoreList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ClusterSecretStore `json:"items"`
}
