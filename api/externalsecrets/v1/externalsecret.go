package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ExternalSecret says which values of which stores make up a Secret.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=es,categories=external-secrets
// +kubebuilder:printcolumn:name=StoreType,type=string,JSONPath=`.spec.secretStoreRef.kind`
// +kubebuilder:printcolumn:name=Store,type=string,JSONPath=`.spec.secretStoreRef.name`
// +kubebuilder:printcolumn:name=Refresh Interval,type=string,JSONPath=`.spec.refreshInterval`
// +kubebuilder:printcolumn:name=Status,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Last Sync,type=date,JSONPath=`.status.refreshTime`
type ExternalSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec ExternalSecretSpec `json:"spec"`
	// +optional
	Status ExternalSecretStatus `json:"status,omitempty"`
}

// ExternalSecretSpec is what is fetched, what is made of it, and when.
type ExternalSecretSpec struct {
	// SecretStoreRef is the store of all entries that name none themselves.
	// +optional
	SecretStoreRef SecretStoreRef `json:"secretStoreRef,omitempty"`
	// Target is the Secret.
	// +optional
	Target ExternalSecretTarget `json:"target,omitempty"`
	// RefreshPolicy is Periodic when it is empty.
	// +optional
	RefreshPolicy RefreshPolicy `json:"refreshPolicy,omitempty"`
	// RefreshInterval is an hour when it is empty; with zero, values are fetched once.
	// +optional
	RefreshInterval *metav1.Duration `json:"refreshInterval,omitempty"`
	// SyncWindows say when periodic refreshes may happen.
	// +optional
	SyncWindows *SyncWindows `json:"syncWindows,omitempty"`
	// Data are single values.
	// +optional
	Data []ExternalSecretData `json:"data,omitempty"`
	// DataFrom are values whose keys come from the store. Of a key that several
	// give, the last one's value counts; a key of Data counts before all.
	// +optional
	DataFrom []ExternalSecretDataFrom `json:"dataFrom,omitempty"`
}

// RefreshPolicy says when values are fetched again.
//
// +kubebuilder:validation:Enum=CreatedOnce;Periodic;OnChange
type RefreshPolicy string

// When values are fetched again.
const (
	// RefreshCreatedOnce never fetches again while the Secret is there.
	RefreshCreatedOnce RefreshPolicy = "CreatedOnce"
	// RefreshPeriodic fetches after each interval.
	RefreshPeriodic RefreshPolicy = "Periodic"
	// RefreshOnChange fetches when the ExternalSecret changed.
	RefreshOnChange RefreshPolicy = "OnChange"
)

// Known reports whether it is one of these, or empty.
func (p RefreshPolicy) Known() bool {
	switch p {
	case "", RefreshCreatedOnce, RefreshPeriodic, RefreshOnChange:
		return true
	}
	return false
}

// SyncWindows are times at which periodic refreshes are allowed, or denied.
type SyncWindows struct {
	// Kind is allow or deny.
	// +kubebuilder:validation:Enum=allow;deny
	Kind string `json:"kind"`
	// +kubebuilder:validation:MaxItems=64
	Windows []SyncWindow `json:"windows,omitempty"`
}

// SyncWindow is a time that comes again.
type SyncWindow struct {
	// Schedule is a cron expression of five fields, in UTC.
	Schedule string `json:"schedule"`
	// Duration that it is open from there on.
	Duration metav1.Duration `json:"duration"`
}

// SecretStoreRef names a store.
type SecretStoreRef struct {
	// +optional
	Name string `json:"name,omitempty"`
	// Kind is SecretStore, which is what an empty one means, or ClusterSecretStore.
	// +optional
	// +kubebuilder:validation:Enum=SecretStore;ClusterSecretStore
	Kind string `json:"kind,omitempty"`
}

// ExternalSecretData is one value.
type ExternalSecretData struct {
	// SecretKey is the key in the Secret.
	SecretKey string `json:"secretKey"`
	// RemoteRef is where the value is.
	RemoteRef RemoteRef `json:"remoteRef"`
	// SourceRef is a store or generator other than the ExternalSecret's.
	// +optional
	SourceRef *StoreSourceRef `json:"sourceRef,omitempty"`
}

// StoreSourceRef is where one value comes from.
type StoreSourceRef struct {
	// +optional
	SecretStoreRef SecretStoreRef `json:"storeRef,omitempty"`
	// +optional
	GeneratorRef *GeneratorRef `json:"generatorRef,omitempty"`
}

// GeneratorRef names an object that values are made by.
type GeneratorRef struct {
	// APIVersion is generators.external-secrets.io/v1alpha1 when it is empty.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// RemoteRef is a value, or an entry with several, in a store.
type RemoteRef struct {
	// Key of the entry: a path or name, as its provider has them.
	Key string `json:"key"`
	// MetadataPolicy None is the value, Fetch are the labels or tags of the entry.
	// +optional
	// +kubebuilder:validation:Enum=None;Fetch
	MetadataPolicy string `json:"metadataPolicy,omitempty"`
	// Property is a field of the entry.
	// +optional
	Property string `json:"property,omitempty"`
	// Version of the entry; its latest when it is empty.
	// +optional
	Version string `json:"version,omitempty"`
	// ConversionStrategy is what becomes of keys with characters that a Secret
	// cannot have.
	// +optional
	ConversionStrategy ConversionStrategy `json:"conversionStrategy,omitempty"`
	// DecodingStrategy is how values are decoded.
	// +optional
	DecodingStrategy DecodingStrategy `json:"decodingStrategy,omitempty"`
}

// ConversionStrategy is what becomes of keys that a Secret cannot have.
//
// +kubebuilder:validation:Enum=Default;Unicode
type ConversionStrategy string

// What becomes of the characters of a key that a Secret's may not have.
const (
	// ConversionDefault puts an underscore.
	ConversionDefault ConversionStrategy = "Default"
	// ConversionUnicode puts _Uxxxx_ with the character's number.
	ConversionUnicode ConversionStrategy = "Unicode"
)

// DecodingStrategy is how values are decoded.
//
// +kubebuilder:validation:Enum=Auto;Base64;Base64URL;None
type DecodingStrategy string

// How values are decoded.
const (
	// DecodeNone keeps a value as it is; so does the empty strategy.
	DecodeNone DecodingStrategy = "None"
	// DecodeBase64 reads base64 with the standard alphabet.
	DecodeBase64 DecodingStrategy = "Base64"
	// DecodeBase64URL reads base64 with the alphabet of URLs.
	DecodeBase64URL DecodingStrategy = "Base64URL"
	// DecodeAuto reads either, and keeps what is neither.
	DecodeAuto DecodingStrategy = "Auto"
)

// ExternalSecretDataFrom are values whose keys come from the store.
type ExternalSecretDataFrom struct {
	// Extract takes the fields of one entry.
	// +optional
	Extract *RemoteRef `json:"extract,omitempty"`
	// Find takes all entries that match.
	// +optional
	Find *Find `json:"find,omitempty"`
	// Rewrite changes the keys, one operation after the other.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Rewrite []Rewrite `json:"rewrite,omitempty"`
	// SourceRef is a store or generator other than the ExternalSecret's.
	// +optional
	SourceRef *StoreGeneratorSourceRef `json:"sourceRef,omitempty"`
}

// StoreGeneratorSourceRef is where several values come from.
type StoreGeneratorSourceRef struct {
	// +optional
	SecretStoreRef *SecretStoreRef `json:"storeRef,omitempty"`
	// +optional
	GeneratorRef *GeneratorRef `json:"generatorRef,omitempty"`
}

// Find are entries by name, path or tags.
type Find struct {
	// Path that entries are below.
	// +optional
	Path *string `json:"path,omitempty"`
	// Name that entries have.
	// +optional
	Name *FindName `json:"name,omitempty"`
	// Tags that entries have, all of them.
	// +optional
	Tags map[string]string `json:"tags,omitempty"`
	// +optional
	ConversionStrategy ConversionStrategy `json:"conversionStrategy,omitempty"`
	// +optional
	DecodingStrategy DecodingStrategy `json:"decodingStrategy,omitempty"`
}

// FindName is a pattern of names.
type FindName struct {
	// RegExp is an RE2 expression that matches anywhere in the name.
	// +optional
	RegExp string `json:"regexp,omitempty"`
}

// ExternalSecretStatus is what was fetched last.
type ExternalSecretStatus struct {
	// RefreshTime is when values were fetched, and the Secret written.
	// +optional
	// +nullable
	RefreshTime metav1.Time `json:"refreshTime,omitempty"`
	// SyncedResourceVersion is the generation and a hash of the metadata that the
	// Secret was made of.
	// +optional
	SyncedResourceVersion string `json:"syncedResourceVersion,omitempty"`
	// Conditions: Ready, that the Secret holds what it should.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty"`
	// Binding is the Secret, for who binds to services.
	// +optional
	Binding *LocalObjectReference `json:"binding,omitempty"`
}

// LocalObjectReference names an object of the same namespace.
type LocalObjectReference struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// Condition is one thing that is true of an object, or is not.
type Condition struct {
	Type string `json:"type"`
	// Status is True, False or Unknown.
	Status string `json:"status"`
	// +optional
	Reason string `json:"reason,omitempty"`
	// +optional
	Message string `json:"message,omitempty"`
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty"`
}

// ExternalSecretList is a list of ExternalSecrets.
//
// +kubebuilder:object:root=true
type ExternalSecretList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ExternalSecret `json:"items"`
}
