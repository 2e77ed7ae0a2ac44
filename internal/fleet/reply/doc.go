// Package reply holds a cluster to what it may answer: no more than what it
// is asked for may need, no redirects, and no long wait before the next try. A
// cluster may be somebody else's, and neither its size, nor where it points, nor
// how long it wants to be left alone is to be believed.
//
// It knows requests by their paths and the form that they ask for, and of the
// answers how much they are, as bytes and as what JSON becomes: nothing of what
// they say.
package reply
