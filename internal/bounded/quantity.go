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
	if text == "" || !numeric(text[0]) {
		return true
	}
	end := strings.IndexFunc(text, func(c rune) bool { return c >= 0x80 || !numeric(byte(c)) })
	if end < 0 {
		return len(text) <= mostQuantity
	}
	if c := text[end]; c != 'e' && c != 'E' {
		return len(text) <= mostQuantity || !suffixed(text[end:])
	}
	exponent := strings.TrimLeft(text[end+1:], "+-")
	if strings.Trim(exponent, "0123456789") != "" {
		return true // no number, which is known by a look
	}
	return len(text) <= mostQuantity && len(exponent) <= mostExponent
}

func numeric(c byte) bool { return c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' }

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
