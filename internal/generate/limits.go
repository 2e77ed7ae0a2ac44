package generate

import (
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Limits bound an expansion, so that no ApplicationSet can stall the engine.
type Limits struct {
	// ParameterSets is how many parameter sets all generators of a set may
	// give, those of nested generators counted too.
	ParameterSets int
	// Applications is how many Applications a set may give.
	Applications int
	// Held is how many bytes an expansion may hold at a time: what generators
	// list and read, parameters, rendered texts and Applications.
	Held int
	// Text is the size of one rendered text, and of one file that a git
	// generator reads, in bytes.
	Text int
	// Entries is how many files and folders of repositories generators may list,
	// and Read how many bytes of files they may read, all together.
	Entries, Read int
	// Values is how many values those files may become, all together.
	Values int
	// Made is how many bytes the functions that one text calls may make, all
	// together, and Total how many all rendered texts may have.
	Made, Total int
	// Steps is how many loop turns and template calls one text may take.
	Steps int
	// Time is how long an expansion may take.
	Time time.Duration
}

// DefaultLimits are far above what repositories need: an etcd object holds
// 1.5 MiB, a fleet up to 10,000 clusters.
func DefaultLimits() Limits {
	return Limits{ParameterSets: 250_000, Applications: 20_000, Held: 192 << 20, Text: 4 << 20, Entries: 1_000_000, Read: 64 << 20, Values: 500_000, Made: 16 << 20, Total: 512 << 20, Steps: 100_000, Time: 2 * time.Minute}
}

// complete fills in what is not set.
func (l Limits) complete() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ value, fallback *int }{
		{&l.ParameterSets, &d.ParameterSets}, {&l.Applications, &d.Applications}, {&l.Held, &d.Held}, {&l.Text, &d.Text}, {&l.Entries, &d.Entries}, {&l.Read, &d.Read}, {&l.Values, &d.Values}, {&l.Made, &d.Made}, {&l.Total, &d.Total}, {&l.Steps, &d.Steps},
	} {
		if *f.value == 0 {
			*f.value = *f.fallback
		}
	}
	if l.Time == 0 {
		l.Time = d.Time
	}
	return l
}

// budget counts what all texts of an expansion render to.
type budget struct{ left int }

var errTotal = problemf(gitops.Invalid, "cannot expand: the Applications get too large, all together").
	Do("let the template render less, or split the ApplicationSet")

func (b *budget) spend(bytes int) error {
	if b.left -= bytes; b.left < 0 {
		return errTotal
	}
	return nil
}
