// Package clustermetadata writes the values of ClusterMetadata objects to
// cluster Secrets, and follows them where they live.
//
// Each object is a field manager of its own, so the API server knows which
// source set which key, and refuses to let one take a key from another. What
// an object no longer says goes with its next write; what an object that is
// gone had is found by its field manager.
package clustermetadata
