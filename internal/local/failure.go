package local

import (
	"fmt"
	"strings"
)

// startFailure is a cluster that did not come up, in one sentence: its log
// has the rest.
type startFailure struct {
	cluster, log string
	err          error
}

// Error names the log.
func (f startFailure) Error() string {
	return fmt.Sprintf("cannot start cluster %s: %s; its log: %s", f.cluster, sentence(f.err), f.log)
}

// Unwrap returns all that is known.
func (f startFailure) Unwrap() error { return f.err }

// longestSentence is how much of a line a person wants to read.
const longestSentence = 300 // runes

// sentence picks the line that matters from the last words of a control
// plane, whose components print stack traces and JSON.
func sentence(err error) string {
	lines := strings.Split(err.Error(), "\n")
	best := lines[0]
	if i := strings.Index(best, "causeway-kube: "); i > 0 {
		best = best[i:] // whose it is has been said
	}
	for _, line := range lines {
		text, said := strings.CutPrefix(line, "error: ")
		if said || strings.HasPrefix(line, "panic: ") {
			best = text
			break
		}
	}
	best = strings.TrimRight(strings.TrimSpace(best), ":")
	if runes := []rune(best); len(runes) > longestSentence {
		best = string(runes[:longestSentence]) + "…"
	}
	return best
}
