package treediff

import "unicode/utf8"

// Bounds of the texts of places, in bytes. Each place has its whole path, and keys
// are as long as who writes an object likes: without bounds one long key would be
// there as often as there are fields below it.
const (
	// mostStep is longer than any name that an API server takes, with its prefix.
	mostStep = 320
	// mostHead stays of the beginning of a path that is long, before its last step.
	mostHead = 512
	mostPath = 1 << 10
)

// cut ends what was too long.
const cut = "…"

// Step is a key, or what tells an item of a list apart, as a step of a path. Of one
// that is long the beginning stays.
func Step(key string) string { return begin(key, mostStep) }

// Join puts a step, with what stands before it, behind a path. Of a path that is
// long the beginning and the last step stay.
func Join(path, step string) string {
	if len(path)+len(step) <= mostPath {
		return path + step
	}
	step = begin(step, mostPath-mostHead-2*len(cut))
	if len(path)+len(step) <= mostPath {
		return path + step
	}
	return begin(path, mostHead) + step
}

// begin is a text up to a length, cut where a character begins.
func begin(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + cut
}
