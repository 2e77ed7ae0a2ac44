// Package v1alpha1 holds the PushSecret of External Secrets, of the group
// external-secrets.io, version v1alpha1. As in version v1 of the group, no field has a
// default, and what a field means when it is empty is said beside it.
//
// +groupName=external-secrets.io
// +kubebuilder:object:generate=true
package v1alpha1
