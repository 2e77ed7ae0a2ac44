package gitops

import (
	"cmp"
	"slices"
	"strings"
)

// masked stands where a decrypted value was.
const masked = "[masked]"

// Hider takes decrypted values out of texts for people; the longest of values
// that begin alike. Hidden are those of a Rendering.
func Hider(hidden []string) *strings.Replacer {
	longest := slices.Clone(hidden)
	slices.SortStableFunc(longest, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(longest))
	for _, v := range longest {
		pairs = append(pairs, v, masked)
	}
	return strings.NewReplacer(pairs...)
}
