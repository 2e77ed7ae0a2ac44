package v1

// SecretKeySelector is a key of a Secret, for credentials of a store.
//
// +kubebuilder:object:generate=false
type SecretKeySelector struct {
	Name string `json:"name,omitempty"`
	// Namespace is for ClusterSecretStores alone; empty is that of who uses the store.
	Namespace string `json:"namespace,omitempty"`
	Key       string `json:"key,omitempty"`
}

// ServiceAccountSelector is an account whose tokens a store is asked with.
//
// +kubebuilder:object:generate=false
type ServiceAccountSelector struct {
	Name string `json:"name"`
	// Namespace is for ClusterSecretStores alone; empty is that of who uses the store.
	Namespace string `json:"namespace,omitempty"`
	// Audiences of the tokens, beside those that a provider wants itself.
	Audiences []string `json:"audiences,omitempty"`
}

// CAProvider is where a certificate is that a server is trusted by.
//
// +kubebuilder:object:generate=false
type CAProvider struct {
	// Type is Secret or ConfigMap.
	Type string `json:"type"`
	Name string `json:"name"`
	Key  string `json:"key,omitempty"`
	// Namespace is for ClusterSecretStores alone.
	Namespace string `json:"namespace,omitempty"`
}
