// Package v1alpha1 holds the generators of External Secrets, of the group
// generators.external-secrets.io, version v1alpha1: objects that values are made by.
// What each says is read by who makes the values.
//
// +groupName=generators.external-secrets.io
// +kubebuilder:object:generate=true
package v1alpha1
