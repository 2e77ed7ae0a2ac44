// Package bootstrap says what a hub needs before a fleet comes from Git: the
// definitions of the kinds, the objects of the engine, the Secrets of the
// repository and of the hub, the root ApplicationSets, and a first layout of
// the repository.
//
// It makes values, and files in a folder of this machine. It reads and writes
// no cluster.
package bootstrap

// Manager is the field manager of what a bootstrap writes.
const Manager = "causeway-bootstrap"
