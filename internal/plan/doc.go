// Package plan compares what an application wants with what its cluster has,
// and lays out the waves of actions that make them equal. It also tells when
// a wave may start and what holds it back. It works on values alone: it reads
// no cluster and writes none.
package plan
