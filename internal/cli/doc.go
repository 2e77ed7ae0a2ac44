// Package cli is the command line of causeway: one file a command.
//
// Commands read flags, call the engine's parts and print. Results go to
// standard output, progress and errors to standard error. What a command does
// is the business of the packages it calls.
package cli
