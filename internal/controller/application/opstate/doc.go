// Package opstate reads and writes the state of an operation as it stands in the status of an Application: how one begins,
// what it results in, how a try of it fails, and what it says of roll-outs and rollbacks. It knows no cluster.
package opstate
