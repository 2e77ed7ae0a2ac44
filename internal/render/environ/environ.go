// Package environ is the build environment of a source: the $ARGOCD_APP_…
// variables that may stand in parameters and file names.
//
// It knows no variable of the process, so nothing of the machine can leak
// into a manifest.
package environ

import (
	"fmt"
	"os"
	"strings"
)

// Env looks variables up. The values are functions because asking for some
// of them ties a render to a revision or a cluster: see package record.
type Env map[string]func() string

// mostFilled bounds what variables add to one text: fifty times the longest, the
// API versions of a large cluster. What reads a text may take many times as much.
const mostFilled = 1 << 20

// ErrTooMuch is a text to which its variables add more than it may have.
var ErrTooMuch = fmt.Errorf("its variables have more than %d bytes together", mostFilled)

// Expand replaces $X and ${X}. $$ is a dollar; an unknown variable is empty.
// What becomes of the text is counted by hold before it is made; a nil one
// permits it.
func (e Env) Expand(s string, hold func(size int) error) (string, error) {
	if !strings.Contains(s, "$") {
		return s, nil
	}
	asked := map[string]string{}
	value := func(name string) string {
		if v, ok := asked[name]; ok {
			return v
		}
		asked[name] = e.value(name)
		return asked[name]
	}
	filled := 0
	bare := os.Expand(s, func(name string) string {
		filled += len(value(name))
		return ""
	})
	if filled > mostFilled {
		return "", ErrTooMuch
	}
	if hold != nil {
		if err := hold(len(bare) + filled); err != nil {
			return "", err
		}
	}
	return os.Expand(s, value), nil
}

func (e Env) value(name string) string {
	if name == "$" {
		return name
	}
	if value, ok := e[name]; ok {
		return value()
	}
	return ""
}

// Text is a variable whose value is always the same.
func Text(s string) func() string { return func() string { return s } }
