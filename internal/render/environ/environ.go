// Package environ is the build environment of a source: the $ARGOCD_APP_…
// variables that may stand in parameters and file names.
//
// It knows no variable of the process, so nothing of the machine can leak
// into a manifest.
package environ

import (
	"os"
	"strings"
)

// Env looks variables up. The values are functions because asking for some
// of them ties a render to a revision or a cluster: see package record.
type Env map[string]func() string

// Expand replaces $X and ${X}. $$ is a dollar; an unknown variable is empty.
func (e Env) Expand(s string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	return os.Expand(s, func(name string) string {
		if name == "$" {
			return "$"
		}
		value, ok := e[name]
		if !ok {
			return ""
		}
		return value()
	})
}

// Text is a variable whose value is always the same.
func Text(s string) func() string { return func() string { return s } }
