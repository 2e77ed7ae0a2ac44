// Package proxy lets a worker read what the engine has: the trees of
// snapshots, repositories from elsewhere, single files by their address. The
// Host is the engine's end, and answers; the Guest is the worker's, and asks.
//
// It decides nothing about what may be read: what the engine gives to a Host
// does.
package proxy
