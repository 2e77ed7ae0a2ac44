// Package disk is a render.Store on the local disk: a folder that any
// number of processes share, bounded in bytes.
//
// Each key has one file with the newest renderings under it, written as a
// whole or not at all. What is torn, changed or foreign is not read and is
// removed. It knows nothing of renderings but their bytes, and it never
// fails: what cannot be kept is rendered again.
package disk
