package bounded

import "strings"

const (
	// mostQuantity bounds a text that is read as a quantity, in bytes, and
	// mostExponent the digits of its exponent: what is read is a number with as
	// many digits as the exponent says.
	mostQuantity = 256
	mostExponent = 3
)

// QuantityFits reports whether a text is short to read as a quantity of
// Kubernetes: 1e400000000 is a number of 400 MB. Most texts are no quantity, and fit.
func QuantityFits(text string) bool {
	rest := strings.TrimLeft(text, "+-.0123456789")
	if len(rest) == len(text) {
		return true
	}
	if rest == "" {
		return len(text) <= mostQuantity
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return len(text) <= mostQuantity || !suffixed(rest)
	}
	exponent := strings.TrimLeft(rest[1:], "+-")
	if strings.Trim(exponent, "0123456789") != "" {
		return true // no number, which is known by a look
	}
	return len(text) <= mostQuantity && len(exponent) <= mostExponent
}

// suffixed reports whether a text may end a quantity.
func suffixed(text string) bool { return len(text) <= len("Ki") }

// QuantitiesFit reports whether all texts of a value fit where its type has quantities.
func QuantitiesFit(value any) bool {
	switch v := value.(type) {
	case string:
		return QuantityFits(v)
	case map[string]any:
		for _, below := range v {
			if !QuantitiesFit(below) {
				return false
			}
		}
	case []any:
		for _, below := range v {
			if !QuantitiesFit(below) {
				return false
			}
		}
	}
	return true
}
