// Package reply holds a cluster to what it may answer: no more than what it
// is asked for may need. A cluster may be somebody else's.
//
// It knows requests by their paths, and nothing of what the answers say.
package reply
