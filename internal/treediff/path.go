package treediff

import (
	"strings"
	"unicode/utf8"
)

// Bounds of the texts of places, in bytes. Each place has its whole path, and keys
// are as long as who writes an object likes: without bounds one long key would be
// there as often as there are fields below it.
const (
	// mostStep is longer than any name that an API server takes, with its prefix.
	mostStep = 320
	mostPath = 512
)

// cut ends what was too long.
const cut = "…"

// Step is a key, or what tells an item of a list apart, as a step of a path. Of one
// that is long the beginning stays.
func Step(key string) string {
	if len(key) <= mostStep {
		return key
	}
	end := mostStep
	for end > 0 && !utf8.RuneStart(key[end]) {
		end--
	}
	return key[:end] + cut
}

// Join puts a step, with what stands before it, behind a path. A path that is long
// grows no more.
func Join(path, step string) string {
	switch {
	case len(path)+len(step) <= mostPath:
		return path + step
	case strings.HasSuffix(path, cut):
		return path
	}
	return path + cut
}
