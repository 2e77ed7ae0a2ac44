//go:build race

package directory

// raced: the race detector takes memory of its own, beyond the limits of tests.
const raced = true
