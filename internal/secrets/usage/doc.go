// Package usage tells which Secrets pods use, and how.
package usage
