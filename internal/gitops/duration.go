package gitops

import (
	"fmt"
	"time"
)

// ParseDuration reads a length of time that somebody wrote, such as 90s or 2h.
// One below zero is refused: what it would be compared with has always passed
// already, or never does. The name says whose it is.
func ParseDuration(name, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("cannot read %s %q as a duration", name, text)
	}
	if d < 0 {
		return 0, fmt.Errorf("%s is a length of time and cannot be %s, which is below zero", name, d)
	}
	return d, nil
}
