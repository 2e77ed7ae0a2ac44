// Package fleetstatus tells how far a fleet is: its clusters, its Applications,
// what waits for what, what went wrong. The picture is a plain value, so that
// a terminal, a log, a file and a test can all look at the same thing.
//
// It only looks. It draws nothing and changes nothing.
package fleetstatus
