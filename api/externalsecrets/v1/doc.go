// Package v1 holds the kinds of External Secrets of the group
// external-secrets.io, version v1: ExternalSecret, ClusterExternalSecret,
// SecretStore and ClusterSecretStore, as their manifests are written.
//
// No field has a default here: what a manifest leaves out stays out of the
// object, so that nothing that applies it from Git sees a difference. What a
// field means when it is empty is said beside it, and done by who reads it.
//
// What a store says of its provider is kept as it is written: each provider
// reads its own part, and a provider that is not known is reported by its name.
//
// +groupName=external-secrets.io
// +kubebuilder:object:generate=true
package v1
