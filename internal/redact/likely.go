package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// endOfKey ends a private key; PGP calls it a block.
const endOfKey = `-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`

var (
	privateKey  = regexp.MustCompile(`(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)[\s\S]*?(` + endOfKey + `|$)`)
	userinfo    = regexp.MustCompile(`(://[^/\s:@"']*):[^/\s"']+@`)
	bearer      = regexp.MustCompile(`(?i)(\bbearer[ \t]+|\bauthorization\\*["']?\s*[:=]\s*\\*["']?basic[ \t]+)[A-Za-z0-9._~+/=-]{8,}`)
	element     = regexp.MustCompile(`(<([A-Za-z0-9_.:-]+)(?:\s[^<>]*)?>)([^<>]+)(</)`)
	keyAlone    = regexp.MustCompile(`^(\s*(?:- )?\s*)["']?([A-Za-z0-9_.-]+)["']?:(?:[ \t]+[&!][^\s]*)*\s*(?:\s#.*)?$`)
	blockScalar = regexp.MustCompile(`^(\s*(?:- )?\s*)["']?([A-Za-z0-9_.-]+)["']?:[ \t]+(?:[&!][^\s]*[ \t]+)*[|>][-+0-9]*\s*(?:#.*)?$`)
)

// likely masks what looks like a secret inside a text: private keys, passwords in
// addresses, and what is assigned to a key like password.
func likely(text string) string {
	if len(text) < 6 || !strings.ContainsAny(text, ":= -<") {
		return text
	}
	text = privateKey.ReplaceAllString(text, "${1}"+Mask+"${2}")
	text = userinfo.ReplaceAllString(text, "${1}:"+Mask+"@")
	text = bearer.ReplaceAllString(text, "${1}"+Mask)
	return maskAssignments(maskElements(maskBelow(maskBlocks(text))))
}

// maskElements masks the texts of elements of XML inside a text.
func maskElements(text string) string {
	if !strings.Contains(text, "</") {
		return text
	}
	return element.ReplaceAllStringFunc(text, func(match string) string {
		m := element.FindStringSubmatch(match)
		if !Sensitive(m[2]) || strings.TrimSpace(m[3]) == "" || isReference(strings.TrimSpace(m[3])) {
			return match
		}
		return m[1] + Mask + m[4]
	})
}

// maskBlocks masks the block scalars of sensitive keys in YAML inside a text.
func maskBlocks(text string) string {
	if !strings.Contains(text, ":") || !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	indent := -1
	out := make([]string, 0, len(lines)+1) // a line may become two
	for _, line := range lines {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if indent >= 0 && (strings.TrimSpace(line) == "" || depth > indent) {
			continue
		}
		indent = -1
		out = append(out, line)
		if m := blockScalar.FindStringSubmatch(line); m != nil && Sensitive(m[2]) {
			indent = len(m[1])
			out = append(out, strings.Repeat(" ", indent+2)+Mask)
		}
	}
	return strings.Join(out, "\n")
}

// maskBelow masks what stands on the line below a sensitive key of YAML, as its value: one
// word, or a text in quotes. Sentences below such a word are no value, and what is a map or
// a list is judged by itself.
func maskBelow(text string) string {
	if !strings.Contains(text, ":") || !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	indent := -1
	for i, line := range lines {
		word := strings.TrimSpace(line)
		if indent >= 0 && (word == "" || word[0] == '#') {
			continue // the value is further below
		}
		depth := len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
		if indent >= 0 && depth > indent {
			if n := valueBelow(word); n > 0 {
				lines[i] = line[:depth] + Mask + line[depth+n:]
			}
		}
		indent = -1
		if m := keyAlone.FindStringSubmatch(line); m != nil && Sensitive(m[2]) {
			indent = len(m[1])
		}
	}
	return strings.Join(lines, "\n")
}

// valueBelow is how much of a line is the value of the key above it; 0 for none.
func valueBelow(line string) int {
	n := quoted(line)
	switch {
	case n > 0 && !strings.HasPrefix(strings.TrimLeft(line[n:], " \t"), ":"):
	case n > 0, strings.ContainsAny(line, " \t"), strings.HasSuffix(line, ":"), line == "-", strings.IndexByte("[{*", line[0]) >= 0:
		return 0
	default:
		n = len(strings.TrimSuffix(line, ","))
	}
	if _, ok := harmless(line[:n]); ok {
		return 0
	}
	return n
}
