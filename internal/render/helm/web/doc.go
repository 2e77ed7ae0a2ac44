// Package web fetches value files by their address: over http and https, from
// hosts that are allowed, within bounds of size and time, and never from
// inside the network unless a host is named.
//
// It keeps nothing: what an address gives may change at any time.
package web
