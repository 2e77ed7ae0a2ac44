package plugin

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/redact"
)

// maxShown bounds what an error shows of a command's error output.
const maxShown = 1200

// scrub makes a command's error output fit for an error: its end, without
// what looks like a secret and without the values of variables that are
// named like one.
func scrub(text string, env []string) string {
	text = strings.Map(printable, redact.Printed(text, env))
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
