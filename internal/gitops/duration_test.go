package gitops

import (
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         time.Duration
		says         string
	}{
		"Usual":    {"as Go writes them", "1h30m", 90 * time.Minute, ""},
		"Zero":     {"what zero means is for who asks", "0", 0, ""},
		"Negative": {"nothing lasts less than no time", "-1s", 0, "window is a length of time and cannot be -1s"},
		"Tiny":     {"however little that is", "-1ns", 0, "below zero"},
		"None":     {"no duration", "soon", 0, `cannot read window "soon"`},
		"Unit":     {"a number alone has no unit", "-5", 0, `cannot read window "-5"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDuration("window", tc.text)
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) || err == nil && got != tc.want {
				t.Errorf("%s: %s, error %v", tc.reason, got, err)
			}
		})
	}
}
