// Package reply holds a cluster to what it may answer: no more than what it
// is asked for may need, and no redirects. A cluster may be somebody else's,
// and neither its size nor where it points is to be believed.
//
// It knows requests by their paths, and nothing of what the answers say.
package reply
