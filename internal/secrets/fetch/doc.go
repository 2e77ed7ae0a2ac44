// Package fetch reads what an ExternalSecret names, and makes the job of it that
// computes its object.
package fetch
