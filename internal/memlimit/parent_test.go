package memlimit

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestOrphan: a process that is alone ends, and one that a person starts does not.
func TestOrphan(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, told string
		want         bool
	}{
		"Child":   {"who started it is there", strconv.Itoa(os.Getppid()), false},
		"Adopted": {"it has another parent than the one that started it", strconv.Itoa(os.Getpid()), true},
		"Nobody":  {"it was told of none", "", false},
		"Odd":     {"what is told may be anything", "x", true},
	} {
		t.Setenv(parentMark, tc.told)
		if got := Orphan(); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
	name, pid, _ := strings.Cut(Parent(), "=")
	if name != parentMark || pid != strconv.Itoa(os.Getpid()) {
		t.Errorf("a child is told %s", Parent())
	}
}
