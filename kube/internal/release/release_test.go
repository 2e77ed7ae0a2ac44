package release

import (
	"runtime/debug"
	"testing"
)

func TestFind(t *testing.T) {
	tests := map[string]struct {
		reason string
		deps   []*debug.Module
		want   string
	}{
		"Found":   {reason: "the module's version is the release", deps: []*debug.Module{{Path: "a"}, {Path: module, Version: "v1.2.3"}}, want: "v1.2.3"},
		"Missing": {reason: "without build information upstream's answer stands", want: Unknown},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := find(tc.deps); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}
