package document

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestValuesAsJSONHasThem: a cluster gives them back so, and what is compared with
// it must be of the same type.
func TestValuesAsJSONHasThem(t *testing.T) {
	for name, tc := range map[string]struct {
		reason    string
		yaml      any
		want      any
		otherwise bool
	}{
		"Int":      {"whole numbers are int64", 5, int64(5), false},
		"Whole":    {"also with a point", 5.0, int64(5), false},
		"Exponent": {"or an exponent", 1e3, int64(1000), false},
		"Part":     {"parts stay", 1.5, 1.5, false},
		"Exact":    {"up to where each whole number is one", float64(1 << 53), int64(1 << 53), false},
		"Large":    {"JSON writes these without a point", 1e18, int64(1e18), false},
		"TooLarge": {"what does not fit stays", 1e20, 1e20, false},
		"Huge":     {"and what has an exponent in JSON", 1e21, 1e21, false},
		"Negative": {"below zero as well", -1e18, int64(-1e18), false},
		"Infinite": {"JSON has no such number", math.Inf(1), nil, true},
		"None":     {"nor this one", math.NaN(), nil, true},
		"Unsigned": {"what is above int64 is written as JSON to see", uint64(math.MaxUint64), nil, true},
		"Time":     {"a time is a text there", time.Unix(0, 0), nil, true},
		"Text":     {"what is no UTF-8 has another form", "\xff", nil, true},
		"Key":      {"keys are texts", map[any]any{1: 2}, nil, true},
		"KeyText":  {"of UTF-8", map[any]any{"\xff": 2}, nil, true},
		"Below":    {"all below counts", []any{map[any]any{"a": []any{math.NaN()}}}, nil, true},
		"Nested":   {"and becomes so", map[any]any{"a": []any{1, 2.0, nil, true, "x"}}, map[string]any{"a": []any{int64(1), int64(2), nil, true, "x"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := asJSON(tc.yaml)
			if ok == tc.otherwise {
				t.Fatalf("%s: got %v, %t", tc.reason, got, ok)
			}
			if d := cmp.Diff(tc.want, got); ok && d != "" {
				t.Errorf("%s:\n%s", tc.reason, d)
			}
		})
	}
}
