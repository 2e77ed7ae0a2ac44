// Package fleet knows the clusters that the engine writes to, and keeps of
// each what the stages need: clients, the kinds it serves, and one shared
// watch for each kind in use, cut down to gitops.Live.
//
// A cluster that is slow or down costs nobody else anything: each has its own
// connections, goroutines and back-off. circuit_breaker.go says which requests are let
// through, probe_backoff.go when a cluster that does not answer is asked again. The package decides nothing about
// applications, writes to no cluster, and reads no Secrets by itself: its
// caller hands them to a Parser and to Set.
package fleet
