package gitops

import (
	"maps"
	"slices"
)

// mostWarnings bounds the warnings of one reason that are kept: one line of a
// file can give millions, and a person acts on the first ones.
const mostWarnings = 100

// Warnings collects what is told to people: of each reason the first ones, and
// how many more there were. The zero value is empty.
type Warnings struct {
	kept  []Warning
	found map[string]*found
}

// found counts the warnings of one reason.
type found struct{ kept, all int }

// Add takes a warning.
func (w *Warnings) Add(one Warning) { w.Tell(one, func() string { return one.Message }) }

// Tell takes a warning whose message is made only if it is kept.
func (w *Warnings) Tell(one Warning, message func() string) {
	of := w.found[one.Reason]
	if of == nil {
		of = &found{}
		if w.found == nil {
			w.found = map[string]*found{}
		}
		w.found[one.Reason] = of
	}
	of.all += max(one.More, 1)
	if one.More > 0 || of.kept == mostWarnings {
		return
	}
	of.kept++
	one.Message = message()
	w.kept = append(w.kept, one)
}

// List returns what is kept, and one warning for each reason that had more.
func (w *Warnings) List() []Warning {
	out := slices.Clone(w.kept)
	for _, reason := range slices.Sorted(maps.Keys(w.found)) {
		if more := w.found[reason].all - w.found[reason].kept; more > 0 {
			out = append(out, Warning{Reason: reason, Message: More(more) + " (" + reason + ")", More: more})
		}
	}
	return out
}
