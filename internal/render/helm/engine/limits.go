package engine

import (
	"fmt"

	"helm.sh/helm/v4/pkg/chart/common"
)

// Limits bound one render. Zero takes the default.
type Limits struct {
	// Output is what all templates write together, in bytes; 100 MiB.
	Output int64
	// Produced is what all functions give and all templates write, in bytes,
	// whether it is used or not; 256 MiB.
	Produced int64
	// Text is the size of one string, in bytes; 32 MiB.
	Text int64
	// Steps is the number of turns of loops, calls of templates and blocks of
	// 256 bytes worked on; 5 million.
	Steps int64
	// Keys is the number of keys, certificates and password hashes; 200.
	Keys int
}

func (l Limits) withDefaults() Limits {
	l.Output = orElse(l.Output, 100<<20)
	l.Produced = orElse(l.Produced, 256<<20)
	l.Text = orElse(l.Text, 32<<20)
	l.Steps = orElse(l.Steps, 5_000_000)
	l.Keys = orElse(l.Keys, 200)
	return l
}

func orElse[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// Bounds that need no setting: no sensible chart comes near them.
const (
	maxParts  = 250_000   // words and signs of one text
	maxTree   = 96 << 20  // bytes of memory that it takes when it is parsed
	maxTrees  = 256 << 20 // the same of all templates of a chart
	maxHeld   = 64 << 20  // the same of texts given to tpl, and copies for them, inside one another
	maxStack  = 40_000    // weight of templates inside one another
	maxItems  = 1_000_000 // items that one call may make
	maxCopies = 100       // of all templates, for texts given to tpl that define some, inside one another
	maxNames  = 1000      // of one template inside itself, as in Helm
)

// Error is a template that cannot be parsed or executed.
type Error struct {
	// Template is its full name, as in web/charts/db/templates/x.yaml; File is
	// its file; empty and nil when unknown. Line counts from 1; 0 is unknown.
	Template string
	File     *common.File
	Line     int
	// Text says what is wrong, without the place.
	Text string
	Err  error
}

func (e *Error) Error() string {
	if e.Template == "" {
		return e.Text
	}
	return fmt.Sprintf("template %s, line %d: %s", e.Template, e.Line, e.Text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// limitError is a limit that was reached.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }
