package key

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Strategies of PushSecrets.
const (
	// KeepKeys pushes keys as they are.
	KeepKeys = "None"
	// ReverseUnicode undoes esv1.ConversionUnicode.
	ReverseUnicode = "ReverseUnicode"
)

// Convert gives each value a key that a Secret may have: letters and digits of
// all scripts, dots, dashes and underscores stay. Two keys that become one are
// an error, because one value would be lost.
func Convert(strategy esv1.ConversionStrategy, data map[string][]byte) (map[string][]byte, error) {
	replace, err := replacement(strategy)
	if err != nil {
		return nil, err
	}
	return rename(data, func(key string) string {
		var out strings.Builder
		for _, r := range key {
			if kept(r) {
				out.WriteRune(r)
				continue
			}
			out.WriteString(replace(r))
		}
		return out.String()
	})
}

func replacement(strategy esv1.ConversionStrategy) (func(rune) string, error) {
	switch strategy {
	case "", esv1.ConversionDefault:
		return func(rune) string { return "_" }, nil
	case esv1.ConversionUnicode:
		return func(r rune) string { return fmt.Sprintf("_U%04x_", r) }, nil
	default:
		return nil, fmt.Errorf("conversion strategy %s is not supported: use Default or Unicode", strategy)
	}
}

func kept(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '.' || r == '_' || r == '-'
}

var escaped = regexp.MustCompile(`_U([0-9a-fA-F]{4,5})_`)

// Reverse gives the keys of a Secret the names that they had before Convert.
func Reverse(strategy string, data map[string][]byte) (map[string][]byte, error) {
	switch strategy {
	case "", KeepKeys:
		return maps.Clone(data), nil
	case ReverseUnicode:
		return rename(data, func(key string) string { return escaped.ReplaceAllStringFunc(key, character) })
	default:
		return nil, fmt.Errorf("conversion strategy %s is not supported: use None or ReverseUnicode", strategy)
	}
}

func character(sequence string) string {
	number, err := strconv.ParseInt(strings.Trim(sequence, "_U"), 16, 32)
	if err != nil {
		return sequence
	}
	return string(rune(number))
}

func rename(data map[string][]byte, name func(string) string) (map[string][]byte, error) {
	out, from := make(map[string][]byte, len(data)), make(map[string]string, len(data))
	for _, key := range slices.Sorted(maps.Keys(data)) {
		to := name(key)
		if other, twice := from[to]; twice {
			return nil, fmt.Errorf("secret name collision during conversion: %s is made of %q and of %q: rewrite one of them", to, other, key)
		}
		out[to], from[to] = data[key], key
	}
	return out, nil
}
