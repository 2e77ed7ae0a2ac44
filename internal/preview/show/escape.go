package show

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// zero is a space without width: it parts what a host would make a mention
// or a reference of.
const zero = "\u200b"

var (
	special   = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "@"+zero, "$", `\$`)
	reference = regexp.MustCompile(`([#!%])(\d)`)
)

// maxInline bounds one text of a comment, in bytes.
const maxInline = 300

// inline makes a user's text a harmless part of a line of Markdown, of a
// table's cell, too.
func inline(text string) string {
	text = special.Replace(clip(screen.Line(text), maxInline))
	return reference.ReplaceAllString(text, "${1}"+zero+"${2}")
}

// code makes a user's text code in a line of Markdown. Hosts make no
// mentions of code.
func code(text string) string {
	text = clip(screen.Line(text), maxInline)
	if text == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}

// clip cuts a text at a whole character; with … it is no longer than the limit.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return gitops.First(text, limit-len("…"))
}

// longestRun is the length of the longest run of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
