// Package offline is the first stages for commands without a hub: it reads a checkout
// on this machine at one of its revisions or as it is being edited, with the clusters
// that files describe and the credentials of who runs the command, and refuses what an
// engine would refuse to apply. What a change makes of all applications is for
// internal/preview to find out of it.
//
// It asks no cluster: nothing is compared with what is live, and no project limits
// what is read, as the person at the machine opens it.
package offline
