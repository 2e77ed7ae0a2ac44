// Package bridge knows what is known of clusters: the labels and annotations
// of their Secrets, who set them, what they may be, who reads them, and what
// follows from them.
//
// It works on values: clusters, ApplicationSets with their expansions, and two
// functions that expand a set and render an Application again. What follows
// from a key is never guessed from the text of templates. The key gets another
// value, the stages run again, and what differs is what follows: see TraceKey.
package bridge
