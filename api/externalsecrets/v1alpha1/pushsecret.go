package v1alpha1

import (
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// PushSecret says which values of a Secret are written to which stores.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=ps,categories=external-secrets
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Last Sync,type=date,JSONPath=`.status.refreshTime`
type PushSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec PushSecretSpec `json:"spec"`
	// +optional
	Status PushSecretStatus `json:"status,omitempty"`
}

// PushSecretSpec is what is written, where, and when.
type PushSecretSpec struct {
	// RefreshInterval is an hour when it is empty; with zero, values are written once.
	// +optional
	RefreshInterval *metav1.Duration `json:"refreshInterval,omitempty"`
	// SecretStoreRefs are the stores.
	// +kubebuilder:validation:MaxItems=256
	SecretStoreRefs []StoreRef `json:"secretStoreRefs"`
	// UpdatePolicy Replace, which is what an empty one means, overwrites what is in a
	// store; IfNotExists leaves it.
	// +optional
	// +kubebuilder:validation:Enum=Replace;IfNotExists
	UpdatePolicy string `json:"updatePolicy,omitempty"`
	// DeletionPolicy Delete takes out of the stores what is pushed no longer; None, which
	// is what an empty one means, leaves it.
	// +optional
	// +kubebuilder:validation:Enum=Delete;None
	DeletionPolicy string `json:"deletionPolicy,omitempty"`
	// Selector says where the values come from.
	Selector Selector `json:"selector"`
	// Data are single values, or all of the Secret.
	// +optional
	// +kubebuilder:validation:MaxItems=1024
	Data []PushSecretData `json:"data,omitempty"`
	// DataTo are many values at a time.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	DataTo []DataTo `json:"dataTo,omitempty"`
	// Template makes the values of those of the Secret.
	// +optional
	Template *esv1.ExternalSecretTemplate `json:"template,omitempty"`
}

// Policies that are not what empty ones mean.
const (
	UpdateIfNotExists = "IfNotExists"
	DeletionDelete    = "Delete"
)

// StoreRef names stores, by name or by labels.
type StoreRef struct {
	// +optional
	Name string `json:"name,omitempty"`
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// Kind is SecretStore, which is what an empty one means, or ClusterSecretStore.
	// +optional
	// +kubebuilder:validation:Enum=SecretStore;ClusterSecretStore
	Kind string `json:"kind,omitempty"`
}

// Selector has one member.
type Selector struct {
	// Secret is one of the namespace, or several.
	// +optional
	Secret *SecretSelector `json:"secret,omitempty"`
	// GeneratorRef makes the values, new ones each time.
	// +optional
	GeneratorRef *esv1.GeneratorRef `json:"generatorRef,omitempty"`
}

// SecretSelector names Secrets, by name or by labels.
type SecretSelector struct {
	// +optional
	Name string `json:"name,omitempty"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// PushSecretData is one value, and where it is written to.
type PushSecretData struct {
	Match Match `json:"match"`
	// Metadata is for the provider, which says what is in it.
	// +optional
	Metadata *apiextensionsv1.JSON `json:"metadata,omitempty"`
	// ConversionStrategy is what becomes of the keys of the Secret.
	// +optional
	ConversionStrategy ConversionStrategy `json:"conversionStrategy,omitempty"`
}

// ConversionStrategy None, which is what an empty one means, keeps keys;
// ReverseUnicode undoes the conversion Unicode of an ExternalSecret.
//
// +kubebuilder:validation:Enum=None;ReverseUnicode
type ConversionStrategy string

// Match is a key of the Secret, and an entry of a store.
type Match struct {
	// SecretKey is all of the Secret when it is empty.
	// +optional
	SecretKey string    `json:"secretKey,omitempty"`
	RemoteRef RemoteRef `json:"remoteRef"`
}

// RemoteRef is an entry of a store.
type RemoteRef struct {
	// RemoteKey is the entry's path or name.
	RemoteKey string `json:"remoteKey"`
	// Property is a field of the entry; all of it when it is empty.
	// +optional
	Property string `json:"property,omitempty"`
}

// DataTo are many values of the Secret, and where they are written to.
type DataTo struct {
	// StoreRef is one of the secretStoreRefs.
	// +optional
	StoreRef *StoreRef `json:"storeRef,omitempty"`
	// RemoteKey is the entry that gets all values as one JSON object; each value has an
	// entry of its own when it is empty.
	// +optional
	RemoteKey string `json:"remoteKey,omitempty"`
	// Match are the keys; all when it is empty.
	// +optional
	Match *KeyMatch `json:"match,omitempty"`
	// Rewrite makes the names of entries of keys, one operation after the other.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Rewrite []Rewrite `json:"rewrite,omitempty"`
	// +optional
	Metadata *apiextensionsv1.JSON `json:"metadata,omitempty"`
	// +optional
	ConversionStrategy ConversionStrategy `json:"conversionStrategy,omitempty"`
}

// KeyMatch is a pattern of keys.
type KeyMatch struct {
	// RegExp is an RE2 expression that matches anywhere in the key.
	// +optional
	RegExp string `json:"regexp,omitempty"`
}

// Rewrite has one member.
type Rewrite struct {
	// +optional
	Regexp *esv1.RewriteRegexp `json:"regexp,omitempty"`
	// +optional
	Transform *esv1.RewriteTransform `json:"transform,omitempty"`
}

// PushSecretStatus is what was written last.
type PushSecretStatus struct {
	// +optional
	// +nullable
	RefreshTime metav1.Time `json:"refreshTime,omitempty"`
	// SyncedResourceVersion is the generation and a hash of the metadata of what was
	// written.
	// +optional
	SyncedResourceVersion string `json:"syncedResourceVersion,omitempty"`
	// SyncedPushSecrets are the entries that were written, by their stores
	// (SecretStore/name), and by their keys and properties.
	// +optional
	SyncedPushSecrets map[string]map[string]PushSecretData `json:"syncedPushSecrets,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []esv1.Condition `json:"conditions,omitempty"`
}

// PushSecretList is a list of PushSecrets.
//
// +kubebuilder:object:root=true
type PushSecretList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []PushSecret `json:"items"`
}

const defaultInterval = time.Hour

// Interval is how much time passes between two times that values are written; zero for
// once.
func (p *PushSecret) Interval() time.Duration {
	if p.Spec.RefreshInterval == nil {
		return defaultInterval
	}
	return max(0, p.Spec.RefreshInterval.Duration)
}
