package plugin

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

const (
	redacted = gitops.Redacted
	// maxShown bounds what an error shows of a command's error output.
	maxShown = 1200
	// minSecret is the length from which a text is worth hiding; shorter
	// ones would tear words apart.
	minSecret = 4
)

var secretForms = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`), redacted},
	// A key whose beginning was cut off with the output before it.
	{regexp.MustCompile(`(?s)^.*-----END [A-Z0-9 ]*PRIVATE KEY-----`), redacted},
	{regexp.MustCompile(`AGE-SECRET-KEY-[A-Z0-9-]+`), redacted},
	{regexp.MustCompile(`(://)[^/\s@]+@`), "${1}" + redacted + "@"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._~-]{8,}=*`), "$1 " + redacted},
	{regexp.MustCompile(`\b(gh[pousr]_|glpat-|xox[a-z]-|AKIA|eyJ)[A-Za-z0-9._-]{10,}`), redacted},
	{regexp.MustCompile(`(?i)([a-z0-9_-]*(?:passw(?:or)?d|secret|token|api[_-]?key|credential)[a-z0-9_-]*["']?\s*[=:]\s*["']?)[^\s"',;]+`), "${1}" + redacted},
}

var secretName = regexp.MustCompile(`(?i)(pass|secret|token|key|cred|auth)`)

// scrub makes a command's error output fit for an error: its end, without
// what looks like a secret and without the values of variables that are
// named like one.
func scrub(text string, env []string) string {
	var secrets []string
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if len(value) >= minSecret && secretName.MatchString(name) {
			secrets = append(secrets, value)
		}
	}
	text = redact.NewKnown(secrets).Text(text)
	for _, f := range secretForms {
		text = f.pattern.ReplaceAllString(text, f.with)
	}
	text = strings.Map(printable, text)
	if len(text) > maxShown {
		text = "… " + strings.ToValidUTF8(text[len(text)-maxShown:], "")
	}
	return strings.TrimSpace(text)
}

// printable drops colours and other commands to a terminal.
func printable(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}
