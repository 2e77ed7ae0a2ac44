package plugin

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/redact"
)

// maxShown bounds what an error shows of a command's error output.
const maxShown = 1200

// colour changes how a terminal writes what follows.
var colour = regexp.MustCompile("\x1b\\[[0-9;:?]*[A-Za-z]")

// scrub makes a command's error output fit for an error: its end, without
// what looks like a secret and without the values of variables that are
// named like one.
func scrub(text string, env []string) string {
	text = redact.Variables(text, env) // as they are, whatever signs are in them
	text = strings.Map(printable, colour.ReplaceAllString(text, ""))
	text = redact.Printed(text, env) // of forms no part may be taken while colours stand within
	if len(text) > maxShown {
		text = "… " + strings.ToValidUTF8(text[len(text)-maxShown:], "")
	}
	return strings.TrimSpace(text)
}

// printable drops commands to a terminal.
func printable(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}
