package redact

import (
	"regexp"
	"strings"
)

// What names a secret, or is none: words, small numbers, and references without a
// default value, of shells, of Windows, of Kubernetes, and of what reads configuration.
var plainWord = regexp.MustCompile(`^(true|false|null|~|yes|no|[0-9]{1,6}|%\w+%` +
	`|\$\{(env:)?[A-Za-z0-9_.]*(:?-|:?\?[^{}]*)?\}?|\$\{(file|secrets?|vault|sys|ssm):[^{}]*\}|\$\{\{[^{}]*\}\}|\$\([^)]*\)?)?$`)

var comment = regexp.MustCompile(`\s+#.*$`)

// maxHarmless is how long a value may be that is not a template, and harmless.
const maxHarmless = 512

// harmless reports whether a value names a secret, or is none, and how much of it
// that is: what follows it in its line is another matter.
func harmless(value string) (length int, ok bool) {
	if inner := strings.Trim(value, `\"'`); value != "" && strings.IndexByte(`\"'`, value[0]) >= 0 {
		return len(value), isReference(strings.TrimSpace(inner))
	}
	if strings.HasPrefix(value, "{{") {
		if end := strings.Index(value, "}}"); end >= 0 {
			value = value[:end+len("}}")]
		}
		return len(value), isReference(value)
	}
	if len(value) > maxHarmless {
		head := comment.FindStringIndex(value[:maxHarmless])
		if head == nil {
			return 0, false
		}
		value = value[:head[0]]
	}
	value = strings.TrimSpace(comment.ReplaceAllString(value, ""))
	return len(value), plainWord.MatchString(value)
}

// isReference reports whether a text is a template without a default value, or plain.
func isReference(text string) bool {
	if strings.HasPrefix(text, "{{") {
		return !strings.Contains(text, "default")
	}
	return len(text) <= maxHarmless && plainWord.MatchString(text)
}
