package key

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// longest is how many bytes a key of a Secret may have.
const longest = 253

// Validate is an error for each key that no Secret may have. What the API server
// refuses beyond that, it says itself.
func Validate(data map[string][]byte) error {
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if err := validate(key); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

func validate(key string) error {
	if len(key) > longest {
		return fmt.Errorf("key has length %d but max is %d: %.40s…: rewrite it (dataFrom.rewrite)", len(key), longest, key)
	}
	for _, r := range key {
		if !kept(r) {
			return fmt.Errorf("key has invalid character %q: %s: set a conversionStrategy or rewrite it (dataFrom.rewrite)", r, key)
		}
	}
	return nil
}
