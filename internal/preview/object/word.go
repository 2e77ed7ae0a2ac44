package object

import "strings"

// ReplaceWord replaces a name where no letter or digit goes on before or after
// it, nor a stand-in.
func ReplaceWord(text, name, with string) string {
	if name == "" {
		return text
	}
	var b strings.Builder
	for rest := 0; ; {
		i := strings.Index(text[rest:], name)
		if i < 0 {
			b.WriteString(text[rest:])
			return b.String()
		}
		i += rest
		end := i + len(name)
		b.WriteString(text[rest:i])
		if (i == 0 || !inWord(text[i-1])) && (end == len(text) || !inWord(text[end])) {
			b.WriteString(with)
		} else {
			b.WriteString(name)
		}
		rest = end
	}
}

// inWord reports whether a byte goes on with a word, or with a stand-in.
func inWord(b byte) bool {
	return b <= 1 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
