package object

import (
	"math"
	"strings"
	"testing"
)

// Two ways to write an amount are one; what is no amount is a text.
func TestAmountsThatMeanTheSame(t *testing.T) {
	cases := map[string]struct {
		reason string
		a, b   any
		same   bool
	}{
		"Milli":     {"a thousandth", "1000m", int64(1), true},
		"Binary":    {"in powers of two", "1Gi", "1024Mi", true},
		"Decimal":   {"in powers of ten", "1G", "1000M", true},
		"NotBinary": {"which are not the same", "1G", "1Gi", false},
		"Zeros":     {"zeros at the end", "1.500", "1500m", true},
		"Hundred":   {"zeros before the point stay", "100", "1", false},
		"Float":     {"a number of JSON", 0.5, "500m", true},
		"Exponent":  {"an exponent", "1e3", "1k", true},
		"Nought":    {"nought in any unit", "0", "0Gi", true},
		"Negative":  {"a sign", "-1", "1", false},
		"Empty":     {"nothing is no nought", "", "0", false},
		"Words":     {"words are texts", "much", "much ", false},
		"Long":      {"longer than any amount", strings.Repeat("0", maxQuantity+1) + "1", "1", false},
		"Bool":      {"yes is no number", true, "1", false},
		"Null":      {"nor is nothing", nil, "0", false},
		"Infinite":  {"nor is what is no number", math.Inf(1), "1", false},
	}
	amount := shape{resources: 3}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if same := canon(amount, tc.a) == canon(amount, tc.b); same != tc.same {
				t.Errorf("%s: %v and %v are the same: %t", tc.reason, tc.a, tc.b, same)
			}
			if same := canon(shape{}, tc.a) == canon(shape{}, tc.b); same {
				t.Errorf("where there are no amounts, %v and %v are the same", tc.a, tc.b)
			}
		})
	}
}
