// Package cli is the command line of causeway. The commands are in folders, by what they are for: a folder has a file for
// each command, and `command`, `table`, `target` and `checkout` have what they share.
//
// Commands read flags, call the engine's parts and print. Results go to
// standard output, progress and errors to standard error. What a command does
// is the business of the packages it calls.
package cli
