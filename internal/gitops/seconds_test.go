package gitops

import (
	"math"
	"testing"
	"time"
)

func TestSeconds(t *testing.T) {
	const longest = 9223372036 * time.Second // whole ones
	cases := map[string]struct {
		reason string
		n      int64
		want   time.Duration
	}{
		"none":       {"nothing is nothing", 0, 0},
		"some":       {"an ordinary number", 180, 3 * time.Minute},
		"less":       {"whoever asks decides what less than nothing means", -5, -5 * time.Second},
		"overflow":   {"a product that would be less than nothing", math.MaxInt64/int64(time.Second) + 1, longest},
		"wrap":       {"a product that would be a third of a second", 18446744074, longest},
		"most":       {"the largest number there is", math.MaxInt64, longest},
		"most below": {"and the smallest", math.MinInt64, -longest},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Seconds(c.n); got != c.want {
				t.Errorf("%s: %d seconds are %s, want %s", c.reason, c.n, got, c.want)
			}
		})
	}
}
