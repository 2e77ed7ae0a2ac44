//go:build race

package detector

// On tells that the race detector is at work.
const On = true
