// Package secretfleet runs the controllers of External Secrets' kinds in each
// cluster of a fleet: where the kinds are defined, and no other operator keeps them.
package secretfleet
