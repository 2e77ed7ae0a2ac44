package generate

import "time"

// Limits bound an expansion, so that no ApplicationSet can stall the engine.
type Limits struct {
	// ParameterSets is how many parameter sets all generators of a set may
	// give, those of nested generators counted too.
	ParameterSets int
	// Text is the size of one rendered text, and of one file that a git
	// generator reads, in bytes.
	Text int
	// Steps is how many loop turns and template calls one text may take.
	Steps int
	// Time is how long an expansion may take.
	Time time.Duration
}

// DefaultLimits are far above what repositories need: an etcd object holds
// 1.5 MiB, a fleet some thousand clusters.
func DefaultLimits() Limits {
	return Limits{ParameterSets: 250_000, Text: 4 << 20, Steps: 100_000, Time: 2 * time.Minute}
}
