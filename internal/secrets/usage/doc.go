// Package usage tells which Secrets pods use, and how, and what annotations say of restarts for them. It restarts
// nothing.
package usage
