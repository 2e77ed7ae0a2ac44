// Package kubernetes is a provider whose entries are Secrets of another
// namespace or cluster.
package kubernetes
