package redact

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// cutKey is the end of a private key whose beginning was cut off with the output before it.
var cutKey = regexp.MustCompile(`^[\s\S]*` + endOfKey)

// printedForms are what is masked in the output of programs, in this order. They take more
// than likely does: nobody compares what a program printed, who printed it kept to no form,
// and what it says of a key is not to go with the rest of its line.
var printedForms = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{privateKey, gitops.Redacted},
	{cutKey, gitops.Redacted},
	{regexp.MustCompile(`AGE-SECRET-KEY-[A-Z0-9-]+`), gitops.Redacted},
	{regexp.MustCompile(`(://)[^/\s]+@`), "${1}" + gitops.Redacted + "@"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._~-]{8,}=*`), "$1 " + gitops.Redacted},
	{regexp.MustCompile(`\b(gh[pousr]_|glpat-|xox[a-z]-|AKIA|eyJ)[A-Za-z0-9._-]{10,}`), gitops.Redacted},
	{regexp.MustCompile(`(?i)([a-z0-9_-]*(?:passw(?:or)?d|secret|token|api[_-]?key|credential)[a-z0-9_-]*["']?\s*[=:]\s*["']?)[^\s"',;]+`), "${1}" + gitops.Redacted},
	// The other keys that are Sensitive: by themselves, as they would take the words above for values.
	{regexp.MustCompile(`(?i)([a-z0-9_.-]*(?:pwd|passphrase|(?:access|encryption|private|shared|signing|tls)[_.-]?key|connection[_.-]?string|dockercfg|dockerconfigjson)["']?\s*[=:]\s*["']?)[^\s"',;]+`), "${1}" + gitops.Redacted},
}

// secretVariable is the name of a variable whose value a program may print, and nobody is to see.
var secretVariable = regexp.MustCompile(`(?i)(pass|secret|token|key|cred|auth)`)

// minVariable is the length from which the value of a variable is worth masking; shorter
// ones would tear words apart.
const minVariable = 4

// Printed is what a program printed, without what looks like a secret, and without the
// values of those of its variables, as NAME=VALUE, that are named like one.
func Printed(text string, env []string) string {
	text = Variables(text, env)
	for _, form := range printedForms {
		text = form.pattern.ReplaceAllString(text, form.with)
	}
	return text
}

// Variables is a text without the values of those variables, as NAME=VALUE, that are
// named like a secret.
func Variables(text string, env []string) string {
	var secrets []string
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if len(value) >= minVariable && secretVariable.MatchString(name) {
			secrets = append(secrets, value)
		}
	}
	return NewKnown(secrets).Text(text)
}
