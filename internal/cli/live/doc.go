// Package live shows a fleet coming up: as a table that is drawn again and
// again on a terminal, or as plain lines, one a change, anywhere else.
//
// What is shown is computed by pure functions of a fleetstatus.Snapshot.
package live
