package await

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	tests := map[string]struct {
		reason, said string
		want         time.Duration
	}{
		"Nothing": {"the usual time", "", time.Minute},
		"Factor":  {"a machine that is slower", "2.5", 150 * time.Second},
		"Faster":  {"no machine needs less than what is never used up", "0.1", time.Minute},
		"Words":   {"what is no number changes nothing", "much", time.Minute},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv(Variable, tc.said)
			if got := Times(time.Minute); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestUntil(t *testing.T) {
	looks := 0
	Until(t, func(context.Context) error {
		if looks++; looks < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if looks != 3 {
		t.Errorf("it looked %d times, want three: until it is so, and no more", looks)
	}
}
