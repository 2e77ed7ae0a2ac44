// Package store keeps what syncs did: who asked, how each wave and object
// went, how health moved afterwards, and the manifests that were applied. And
// it keeps the audit: who did what, as a chain that shows what was changed.
//
// The history is a read model: losing it costs the history and nothing else.
// Its writes are queued and never make a sync wait. An entry of the audit is on
// the disk before what it tells of is done. It does not decide anything.
package store
