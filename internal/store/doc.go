// Package store keeps what syncs did: who asked, how each wave and object
// went, how health moved afterwards, and the manifests that were applied.
//
// It is a read model: losing it costs the history and nothing else. Writes
// are queued and never make a sync wait. It does not decide anything.
package store
