// Package gitops is the vocabulary of the engine: the values that its stages
// hand to one another, from a source reference to the result of an action.
//
// It holds values and the small pure functions that belong to them. It reads
// no files, talks to no cluster and imports nothing else of the engine, so
// that every other package can.
package gitops
