// Package v1alpha1 holds the product's own API types, of the group
// causeway.io, version v1alpha1: Cluster, ClusterSource, ClusterMetadata and
// MetadataSchema.
//
// They say where clusters come from and what is known of them. What follows
// from them is always a cluster Secret in Argo CD's form, so that repositories
// written for Argo CD see nothing new: these kinds are for people who want
// Git, rather than Terraform, to describe their clusters.
//
// +groupName=causeway.io
// +kubebuilder:object:generate=true
package v1alpha1
