package guard

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
)

// nameBytes is how much of its hash stands for a deletion in Named, and
// mostNamed how many deletions are named one by one.
const (
	nameBytes = 6
	mostNamed = 4000
)

// Named names deletions one by one in a short text, so that a part of them can
// be told from others later; empty for more than can be named.
func Named(names []string) string {
	if len(names) > mostNamed {
		return ""
	}
	all := make([]byte, 0, len(names)*nameBytes)
	for _, name := range slices.Sorted(slices.Values(names)) {
		all = append(all, mark(name)...)
	}
	return base64.RawURLEncoding.EncodeToString(all)
}

// Within reports whether all of some deletions are among those of a text of Named.
func Within(named string, names []string) bool {
	all, err := base64.RawURLEncoding.DecodeString(named)
	if err != nil || len(all) == 0 || len(all)%nameBytes != 0 {
		return false
	}
	known := map[string]bool{}
	for chunk := range slices.Chunk(all, nameBytes) {
		known[string(chunk)] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !known[string(mark(name))] })
}

func mark(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:nameBytes]
}
