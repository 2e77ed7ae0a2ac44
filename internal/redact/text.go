package redact

import (
	"regexp"
	"strings"
)

var (
	privateKey  = regexp.MustCompile(`(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`)
	userinfo    = regexp.MustCompile(`(://[^/\s:@"']*):[^/\s"']+@`)
	bearer      = regexp.MustCompile(`(?i)(\bbearer[ \t]+|\bauthorization\\*["']?\s*[:=]\s*\\*["']?basic[ \t]+)[A-Za-z0-9._~+/=-]{8,}`)
	element     = regexp.MustCompile(`(<([A-Za-z0-9_.:-]+)(?:\s[^<>]*)?>)([^<>]+)(</)`)
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
	return maskAssignments(maskElements(maskBlocks(text)))
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
