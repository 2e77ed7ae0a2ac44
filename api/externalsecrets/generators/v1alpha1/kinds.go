package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Password makes passwords.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type Password struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// PasswordList is a list of such objects.
//
// +kubebuilder:object:root=true
type PasswordList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Password `json:"items"`
}

// UUID makes a UUID.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type UUID struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// UUIDList is a list of such objects.
//
// +kubebuilder:object:root=true
type UUIDList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []UUID `json:"items"`
}

// Fake gives what it holds.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type Fake struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// FakeList is a list of such objects.
//
// +kubebuilder:object:root=true
type FakeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Fake `json:"items"`
}

// SSHKey makes a pair of keys for SSH.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type SSHKey struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// SSHKeyList is a list of such objects.
//
// +kubebuilder:object:root=true
type SSHKeyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []SSHKey `json:"items"`
}

// Webhook asks an HTTP server.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type Webhook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// WebhookList is a list of such objects.
//
// +kubebuilder:object:root=true
type WebhookList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Webhook `json:"items"`
}

// VaultDynamicSecret asks Vault for credentials that it makes.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type VaultDynamicSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// VaultDynamicSecretList is a list of such objects.
//
// +kubebuilder:object:root=true
type VaultDynamicSecretList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []VaultDynamicSecret `json:"items"`
}

// ECRAuthorizationToken logs in to a registry of AWS.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type ECRAuthorizationToken struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// ECRAuthorizationTokenList is a list of such objects.
//
// +kubebuilder:object:root=true
type ECRAuthorizationTokenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ECRAuthorizationToken `json:"items"`
}

// GCRAccessToken logs in to a registry of Google Cloud.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type GCRAccessToken struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// GCRAccessTokenList is a list of such objects.
//
// +kubebuilder:object:root=true
type GCRAccessTokenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []GCRAccessToken `json:"items"`
}

// ACRAccessToken logs in to a registry of Azure.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type ACRAccessToken struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// ACRAccessTokenList is a list of such objects.
//
// +kubebuilder:object:root=true
type ACRAccessTokenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ACRAccessToken `json:"items"`
}

// STSSessionToken gets credentials of AWS for a while.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type STSSessionToken struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// STSSessionTokenList is a list of such objects.
//
// +kubebuilder:object:root=true
type STSSessionTokenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []STSSessionToken `json:"items"`
}

// GithubAccessToken gets a token of a GitHub App.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories=external-secrets
type GithubAccessToken struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is read by who makes the values.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec apiextensionsv1.JSON `json:"spec,omitempty"`
}

// GithubAccessTokenList is a list of such objects.
//
// +kubebuilder:object:root=true
type GithubAccessTokenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []GithubAccessToken `json:"items"`
}

// ClusterGenerator is a generator for all namespaces.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories=external-secrets
type ClusterGenerator struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec ClusterGeneratorSpec `json:"spec"`
}

// ClusterGeneratorSpec is a generator of some kind.
type ClusterGeneratorSpec struct {
	// Kind of the generator.
	Kind string `json:"kind"`
	// Generator has what that kind's spec would say, as passwordSpec and the like.
	Generator map[string]apiextensionsv1.JSON `json:"generator"`
}

// ClusterGeneratorList is a list of ClusterGenerators.
//
// +kubebuilder:object:root=true
type ClusterGeneratorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ClusterGenerator `json:"items"`
}
