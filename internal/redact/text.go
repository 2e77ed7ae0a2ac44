package redact

import (
	"regexp"
	"strings"
)

var (
	privateKey  = regexp.MustCompile(`(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`)
	userinfo    = regexp.MustCompile(`(://[^/\s:@"']*):[^/\s@"']+@`)
	bearer      = regexp.MustCompile(`(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{12,}`)
	assignment  = regexp.MustCompile(`([A-Za-z0-9_.-]+)(\\?["']?[ \t]*[:=][ \t]*)("[^"\n]*"|'[^'\n]*'|\\"[^"\n]*\\"|[^\s,;}\]"'|>&][^\s,;}\]&]*)`)
	blockScalar = regexp.MustCompile(`^(\s*(?:- )?\s*)["']?([A-Za-z0-9_.-]+)["']?:\s*[|>][-+0-9]*\s*$`)
	// harmless values name a secret, or are none.
	harmless = regexp.MustCompile(`^["']?(true|false|null|~|yes|no|[0-9]{1,6}|\$[({].*|\{\{.*|%.*%|"")["']?$`)
)

// likely masks what looks like a secret inside a text: private keys, passwords in
// addresses, and what is assigned to a key like password.
func likely(text string) string {
	if len(text) < 6 || !strings.ContainsAny(text, ":= -") {
		return text
	}
	text = privateKey.ReplaceAllString(text, "${1}"+Mask+"${2}")
	text = userinfo.ReplaceAllString(text, "${1}:"+Mask+"@")
	text = bearer.ReplaceAllString(text, "${1}"+Mask)
	return maskAssignments(maskBlocks(text))
}

func maskAssignments(text string) string {
	return assignment.ReplaceAllStringFunc(text, func(match string) string {
		m := assignment.FindStringSubmatch(match)
		if !Sensitive(m[1]) || harmless.MatchString(m[3]) {
			return match
		}
		return m[1] + m[2] + Mask
	})
}

// maskBlocks masks the block scalars of sensitive keys in YAML inside a text.
func maskBlocks(text string) string {
	if !strings.Contains(text, ":") || !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	indent := -1
	out := lines[:0]
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
